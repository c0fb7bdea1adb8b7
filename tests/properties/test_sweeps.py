"""Claims about all operations, tried on those of PyTorch's own operator database.

The database is the one that PyTorch's tests use, with sample inputs. It is no public interface: on
a release where it has moved, a sweep is skipped as *not swept*. What deviates from a claim stands
in EXCEPTIONS, and what is there but does not deviate fails as well.
"""

import functools
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from .facts import quiet

# What each sweep finds that its claim does not say of operations in general, and why.
EXCEPTIONS: dict[str, set[str]] = {
    # Logical operations have no derivative and are not asked whether they write to a leaf.
    "accepts a leaf": {"logical_and", "logical_not", "logical_or", "logical_xor"},
    # They are put together of two operations that write.
    "moves the counter twice": {
        "nn.functional.alpha_dropout",
        "nn.functional.dropout3d",
        "nn.functional.feature_alpha_dropout.with_train",
    },
    # No views for autograd, though they share memory: "unsafe" is what their name says.
    "shares without the flag": {"unsafe_chunk", "unsafe_split"},
    # Their backward pass does not ask for what they saved.
    "does not check what it saved": {"max_pool2d_with_indices_backward"},
}
# Few operations left would mean that the sample inputs have another form now.
AT_LEAST = {"in place": 120, "results": 400, "saved": 300, "devices": 100}


class Sample(NamedTuple):
    """An operator of the database with a float32 input of several elements."""

    name: str
    operator: object
    input: Tensor
    args: tuple
    options: dict

    def run(self, x: Tensor) -> object:
        """Call the function."""
        return self.operator.op(x, *self.args, **self.options)

    def run_in_place(self, x: Tensor) -> Tensor:
        """Call the in-place form."""
        return self.operator.inplace_variant(x, *self.args, **self.options)


@functools.cache
def database() -> tuple:
    """Return the entries that take float32 on the CPU."""
    try:
        with quiet():
            from torch.testing._internal.common_methods_invocations import op_db
        return tuple(op for op in op_db if torch.float32 in op.dtypes)
    except (ImportError, AttributeError) as error:
        pytest.skip(f"not swept: the operator database of this torch cannot be read: {error}")


def name_of(operator: object) -> str:
    """Return the name of an entry, with that of its variant."""
    variant = operator.variant_test_name
    return f"{operator.name}.{variant}" if variant else operator.name


@functools.cache
def samples() -> tuple[Sample, ...]:
    """Return one sample of each operator that has one."""
    return tuple(sample for op in database() for sample in islice(samples_of(op), 1))


def samples_of(operator: object) -> Iterator[Sample]:
    """Yield samples of an operator whose first input is a tensor as described."""
    if operator.name.startswith("jiterator"):  # for CUDA
        return
    torch.manual_seed(0)
    try:
        with quiet():
            for sample in islice(operator.sample_inputs("cpu", torch.float32), 12):
                x = sample.input
                if not isinstance(x, Tensor) or x.layout != torch.strided or x.numel() < 2:
                    continue
                if x.dtype == torch.float32 and x.dim():
                    x = x.detach()
                    yield Sample(name_of(operator), operator, x, sample.args, sample.kwargs)
    except AttributeError as error:
        pytest.skip(f"not swept: the sample inputs of this torch cannot be read: {error}")


def sweep(id: str) -> Callable[[Callable], Callable]:
    """Name the claim of a sweep; the function returns on how many operations it ran."""

    def register(check: Callable[[], int]) -> Callable[[], None]:
        @functools.wraps(check)
        def run_sweep() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                run_sweep.tried = check()

        del run_sweep.__wrapped__
        run_sweep.claim, run_sweep.tried = id, 0
        return run_sweep

    return register


def compare(found: set[str], kind: str, ran: set[str]) -> None:
    """Compare with the exceptions, of which a release may lack some."""
    expected = EXCEPTIONS[kind] & ran
    assert found == expected, (
        f"{kind}: new {sorted(found - expected)}, no longer {sorted(expected - found)}"
    )


def address(x: Tensor) -> int:
    """Return the address of the storage; something else for a tensor without one."""
    return x.untyped_storage().data_ptr() if x.layout == torch.strided else -id(x)


def results(made: object) -> list[Tensor]:
    """Return the strided floating-point tensors of a result that have elements."""
    return [
        t
        for t in tree_leaves(made)
        if isinstance(t, Tensor)
        and t.layout == torch.strided
        and t.is_floating_point()
        and t.numel()
    ]


@functools.cache
def writers() -> tuple[Sample, ...]:
    """Return for each operator that has an in-place form a sample that this form changes."""
    with_form = (op for op in database() if op.inplace_variant is not None)
    found = [next(filter(writes, samples_of(op)), None) for op in with_form]
    kept = tuple(sample for sample in found if sample)
    assert len(kept) >= AT_LEAST["in place"], [sample.name for sample in kept]
    return kept


def writes(sample: Sample) -> bool:
    """Tell whether the in-place form takes this input and writes to it."""
    x = sample.input.clone()
    try:
        with quiet(), torch.no_grad():
            sample.run_in_place(x)
    except RuntimeError:  # the result has another shape or dtype
        return False
    return x._version > 0 or x.shape != sample.input.shape or not torch.equal(x, sample.input)


@sweep("leaf_tensors.inplace")
def test_in_place_forms_refuse_a_leaf() -> int:
    accepted, ran = set(), set()
    for sample in writers():
        w = sample.input.clone().requires_grad_()
        ran.add(sample.name)
        try:
            sample.run_in_place(w)
        except RuntimeError:
            assert torch.equal(w, sample.input), f"{sample.name} raised, and wrote"
        else:
            accepted.add(sample.name)
    compare(accepted, "accepts a leaf", ran)
    return len(ran)


@sweep("inplace_and_version_counter.moves")
def test_in_place_forms_move_the_counter_by_one() -> int:
    moved = {}
    for sample in writers():
        x = sample.input.clone()
        with torch.no_grad():
            sample.run_in_place(x)
        moved[sample.name] = x._version
    ran = set(moved)
    compare({n for n in ran if moved[n] == 2}, "moves the counter twice", ran)
    assert set(moved.values()) == {1, 2}, {n for n in ran if moved[n] not in (1, 2)}
    return len(ran)


@sweep("data_vs_detach.counter")
def test_in_place_forms_through_detach_and_data() -> int:
    for sample in writers():
        x = sample.input.clone()
        with torch.no_grad():
            before = sample.input.clone()
            sample.run_in_place(before)
            if before.shape != x.shape:  # the detached tensor alone would get the new shape
                continue
            sample.run_in_place(x.data)
            assert x._version == 0, sample.name
            x = sample.input.clone()
            sample.run_in_place(x.detach())
            assert x._version == before._version, sample.name
    return len(writers())


@sweep("no_grad.flag")
def test_results_under_no_grad() -> int:
    without, ran = set(), set()
    for sample in samples():
        w = sample.input.clone().requires_grad_()
        with torch.no_grad():
            made = results(sample.run(w))
        for result in made:
            shared = address(result) == address(w)
            ran.add(sample.name)
            if shared and not result.requires_grad:
                without.add(sample.name)
            assert shared or not result.requires_grad, sample.name
    assert len(ran) >= AT_LEAST["results"]
    compare(without, "shares without the flag", ran)
    return len(ran)


def saves_its_input(sample: Sample) -> bool:
    """Tell whether the operation keeps the memory of its input for the backward pass."""
    saved = []
    x = sample.input.clone().requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        sample.run(x)
    return any(address(t) == address(x) for t in saved)


@sweep("inplace_and_version_counter.error")
def test_backward_raises_if_and_only_if_the_input_was_saved() -> int:
    unchecked, ran = set(), set()
    for sample in samples():
        x = sample.input.clone().requires_grad_()
        if not sample.operator.supports_autograd:
            continue
        made = [t for t in results(sample.run(x)) if t.requires_grad]
        if not made or any(address(t) == address(x) for t in made):
            continue
        torch.autograd.graph.increment_version(x)
        try:
            made[0].backward(torch.ones_like(made[0]))
            raised = False
        except RuntimeError as error:
            raised = "modified by an inplace operation" in str(error)
        ran.add(sample.name)
        if raised != saves_its_input(sample):
            assert not raised, f"{sample.name} checks what it did not save"
            unchecked.add(sample.name)
    assert len(ran) >= AT_LEAST["saved"]
    compare(unchecked, "does not check what it saved", ran)
    return len(ran)


# Two devices. The device `meta` has no memory, and many operations on it take a tensor on the CPU
# without a word, as no other device does: a sweep over the CPU and meta says only which operations
# refuse both. For these the claim is tried; the others need a GPU.
TAKE_META = """
_scaled_dot_product_flash_attention_for_cpu index_add index_copy index_fill
_segment_reduce _unsafe_masked_index_put_accumulate addbmm as_strided_scatter baddbmm bmm
broadcast_tensors bucketize cdist cross diagonal_scatter expand_as gather index_put index_reduce
index_select isin linalg.cross linalg.lu_solve linalg.pinv linalg.solve linalg.solve_ex
linalg.solve_triangular linalg.tensorsolve lu_solve lu_unpack masked_scatter mm
native_dropout_backward nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d
nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d
nn.functional.ctc_loss nn.functional.embedding_bag nn.functional.linear_cross_entropy pca_lowrank
put reshape_as resize_as_ scatter scatter_add scatter_reduce select_scatter slice_scatter
svd_lowrank take tensor_split tensordot view_as
""".split()  # noqa: SIM905


@sweep("devices.mixing")
def test_two_devices_are_refused() -> int:
    ran, took, accepted = set(), set(), set()
    for sample in samples():
        others = [t for t in tree_leaves((sample.args, sample.options)) if isinstance(t, Tensor)]
        if not any(t.dim() and t.numel() for t in others):
            continue
        ran.add(sample.name)
        if sample.operator.name.rpartition("aten.")[2] in TAKE_META:
            took.add(sample.name)
            continue
        args, options = tree_map(on_meta, (sample.args, sample.options))
        moved = sample._replace(args=args, options=options)
        for trial, x in ((sample, sample.input.to("meta")), (moved, sample.input)):
            try:
                trial.run(x)
                accepted.add(sample.name)
            except RuntimeError:  # NotImplementedError is one
                pass
    assert not accepted, sorted(accepted)
    assert len(ran) >= AT_LEAST["devices"] and took
    return len(ran - took)


def on_meta(value: object) -> object:
    """Move a tensor that has dimensions to meta."""
    return value.to("meta") if isinstance(value, Tensor) and value.dim() else value


def test_a_database_that_has_moved_is_skipped(monkeypatch):
    monkeypatch.setitem(
        __import__("sys").modules, "torch.testing._internal.common_methods_invocations", None
    )
    with pytest.raises(pytest.skip.Exception, match="^not swept: "):
        database.__wrapped__()


def test_an_empty_database_fails(monkeypatch):
    monkeypatch.setitem(globals(), "samples", lambda: ())
    monkeypatch.setitem(globals(), "database", lambda: ())
    for test in (
        test_results_under_no_grad,
        test_backward_raises_if_and_only_if_the_input_was_saved,
        test_two_devices_are_refused,
    ):
        with pytest.raises(AssertionError):
            test()
    with pytest.raises(AssertionError):
        writers.__wrapped__()
