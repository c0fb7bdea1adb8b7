"""The tool `book/_static/whoshares.py`: what it sees, what it leaves alone, and its limits."""

import copy
import gc
import io
import re
import subprocess
import sys
import threading
import weakref
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.tool import whoshares
from tools.snippets import TOOL, wanted
from verify import ROOT

audit, draw, share = whoshares.audit, whoshares.draw, whoshares.share
sharing, steps, watch = whoshares.sharing, whoshares.steps, whoshares.watch


# The file


def test_the_snippets_hold_what_the_tool_holds():
    for file, text in wanted().items():
        assert file.read_text(encoding="utf-8") == text, f"{file}: run python -m tools.snippets"


def test_it_prints_its_help_in_an_empty_folder(tmp_path):
    (tmp_path / "whoshares.py").write_bytes(TOOL.read_bytes())
    call = [sys.executable, "-I", "whoshares.py"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert whoshares.__version__ in done.stdout
    assert all(f"\n{name}:\n" in done.stdout for name in whoshares.__all__)


def test_it_runs_without_numpy():
    code = "import sys; sys.modules['numpy'] = None; sys.path.insert(0, sys.argv[1])\n"
    code += "import warnings; warnings.simplefilter('ignore')\n"
    code += "import torch, whoshares as w; x = torch.ones(3)\n"
    code += "print(w.share(x, x[1:]), w.sharing(x=x), w.draw(x=x), w.steps('x + 1', x=x))\n"
    code += "with w.watch(x=x) as seen: x.add_(1)\nprint(seen, w.audit(torch.nn.Linear(1, 1)))"
    call = [sys.executable, "-c", code, str(TOOL.parent)]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "x: add_" in done.stdout


def test_steps_knows_entries_that_the_page_of_errors_has():
    page = (ROOT / "book" / "reference" / "errors.ipynb").read_text(encoding="utf-8")
    headings = [line for line in page.split("\n") if "### " in line]
    for words in whoshares.ERRORS:
        assert any(words in heading for heading in headings), words


# What shares


@st.composite
def layouts(draw_):
    """Draw shape, strides in bytes and the offset of a view into 256 bytes."""
    shape = draw_(st.lists(st.integers(0, 5), max_size=3))
    strides = [draw_(st.integers(0, 9)) * draw_(st.sampled_from([1, 4])) for _ in shape]
    size = draw_(st.sampled_from([1, 2, 4, 8]))
    return shape, strides, draw_(st.integers(0, 64)), size


@settings(max_examples=300, derandomize=True, database=None, deadline=None)
@given(layouts(), layouts())
def test_it_agrees_with_the_exact_answer_of_numpy(one, other):
    buffer = np.zeros(512, np.uint8)
    arrays = [
        np.ndarray(shape, f"V{size}", buffer, offset, strides)
        for shape, strides, offset, size in (one, other)
    ]
    assert bool(share(*arrays)) == np.shares_memory(*arrays)
    assert bool(share(*reversed(arrays))) == np.shares_memory(*arrays)


def test_negative_strides():
    a = np.arange(8)
    assert share(a[::-1], a) and share(a[3::-1], a[:4]) and not share(a[3::-1], a[4:])


def test_elements_not_only_storages():
    x = torch.arange(12.0).reshape(3, 4)
    assert not share(x[:1], x[1:]) and "no element" in str(share(x[:1], x[1:]))
    assert not share(x[:, 0], x[:, 1]) and not share(x[:, :2], x[:, 2:]) and not share(x[::2], x[1])
    assert share(x, x[1]) and share(x.t(), x) and share(x.view(torch.int32)[0, 0], x)
    big = torch.zeros(3000, 3000)
    assert not share(big[:, ::2], big[:, 1::2]) and share(big[:, ::2], big[7:9])


def test_one_extent_in_other_shapes():
    x = torch.arange(32.0)[::2]
    same = "the same elements"
    assert same in str(sharing(x=x, y=x.view(2, 2, 4), z=x.view(4, 4).T))
    assert same not in str(sharing(x=x, y=x.view(4, 4)[:, :3]))


def test_arrays_and_dlpack():
    x = torch.arange(8.0)
    tail = torch.from_dlpack(x[4:])
    assert share(tail, x) and share(tail.numpy(), x[5:]) and not share(tail, x[:4])
    assert share(torch.from_numpy(a := np.arange(4)), a[1:])
    assert share(x.numpy()[::-1], x) and not share(x.numpy().copy(), x)


def test_containers_paths_and_optimizers():
    Pair = namedtuple("Pair", "one two")

    @dataclass
    class Kept:
        step: int
        weights: dict

    model = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    nested = Kept(3, OrderedDict(a=[1, deque([Pair(model.weight, {model.bias})])], b="text"))
    text = str(sharing(kept=nested, model=model))
    assert "kept.weights['a'][1][0][0], model.weight: one object" in text
    assert "kept.weights['a'][1][0][1][0], model.bias: one object" in text
    assert share(model, optimizer) and share(model.state_dict(), model)
    moments = [s["exp_avg"] for s in optimizer.state.values()]
    assert share(moments, optimizer) and not share(moments, model)
    round_ = {"x": model.weight}
    round_["self"] = round_
    assert share(round_, model)


def test_tied_weights_and_parameters_on_one_memory():
    x = torch.ones(2)
    a, b = nn.Parameter(x), nn.Parameter(x)
    assert "the same elements" in str(sharing(a=a, b=b))
    assert "one object" in str(sharing(a=a, b=a))
    assert "one object" not in str(sharing(a=a, d=a.detach(), b=a))


def test_what_has_no_address():
    x = torch.ones(2, 2)
    for other in (torch.ones(2, 2, device="meta"), torch.ones(2).to_mkldnn()):
        assert not share(x, other) and "cannot say" in str(share(x, other))
    with torch._subclasses.FakeTensorMode():
        fake = torch.ones(2)
    assert "fake" in str(share(fake, fake[:1]))
    said = []
    torch.vmap(lambda row: (said.append(str(share(row, x))), row)[1])(x)
    assert "torch.func" in said[0]
    y = torch.ones(4)
    y.untyped_storage().resize_(0)
    assert "freed" in str(share(y, x))


def test_parts_of_sparse_and_nested_tensors():
    s = torch.eye(3).to_sparse()
    assert share(s, s._values()) and "_values()" in str(share(s, s._values()))
    for layout in (torch.sparse_csr, torch.sparse_csc):
        c = torch.eye(3).to_sparse(layout=layout)
        assert share(c.values(), c) and not share(c, c.clone())
    for layout in (torch.jagged, torch.strided):
        n = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=layout)
        assert "values" in str(share(n, n.detach())) and "values" not in str(share(n, n.clone()))


def test_copy_on_write_is_told_and_stays():
    x = torch.arange(4.0)
    y = torch._lazy_clone(x)
    assert "copy-on-write" in str(share(x, y)) and not share(x, y) and share(y, y[1:])
    sharing(x=x, y=y), draw(x=x, y=y), steps("y", y=y), audit(nn.Linear(1, 1), best=y)
    with watch(x=x) as seen:
        y.add_(1)
    assert not seen
    z = torch._lazy_clone(x)
    with watch(z=z):
        pass
    assert torch._C._is_cow_tensor(z)


def test_a_distributed_tensor_is_compared_by_its_local_part(tmp_path):
    dist = torch.distributed
    if not dist.is_available():
        pytest.skip("this torch has no torch.distributed")
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, distribute_tensor

    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/rank", rank=0, world_size=1)
    try:
        t = distribute_tensor(torch.ones(4), init_device_mesh("cpu", (1,)), [Replicate()])
        assert share(t, t.to_local()) and "_local_tensor" in str(share(t, t.to_local()))
    finally:
        dist.destroy_process_group()


# What is not accepted


def closed():
    file = io.StringIO()
    file.close()
    return file


def deleted():
    x = torch.ones(2)
    return weakref.proxy(x)


BAD = {"text": str, "number": int, "closed file": closed, "deleted tensor": deleted}
BAD |= {"None": lambda: None, "iterator": lambda: iter([]), "dtype": lambda: torch.float32}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_argument_says_what_is_accepted(kind):
    x, bad = torch.ones(2), BAD[kind]()
    calls = [lambda: share(x, bad), lambda: share(bad, x), lambda: sharing(x=x, bad=bad)]
    calls += [lambda: draw(bad=bad), lambda: watch(bad=bad), lambda: audit(x=bad)]
    calls += [lambda: audit(bad), lambda: steps("bad", bad=bad)]
    for call in calls:
        with pytest.raises(TypeError, match="accepted is|name a tensor"):
            call()
    if kind != "text":
        with pytest.raises(TypeError, match="accepted is a str"):
            steps(bad, x=x)


def test_nothing_named():
    for function in (sharing, draw, watch):
        with pytest.raises(TypeError, match="as in x=x"):
            function()
    for line in ("", "x = 1; x", "import os", "for i in x: pass"):
        with pytest.raises(TypeError, match="one expression or one assignment"):
            steps(line, x=torch.ones(1))
    with pytest.raises(SyntaxError):
        steps("x +", x=torch.ones(1))


# Nothing is changed, nothing is kept alive


def use_everything(x, y, model, optimizer):
    reports = [share(x, y), sharing(x=x, y=y), draw(x=x, y=y, model=model)]
    reports += [steps("y.detach() + x", x=x, y=y), steps("y.numpy()", y=y)]
    reports += [audit(model, optimizer, x=x, kept=[y])]
    with watch(x=x, y=y, model=model) as seen:
        torch.ones(2).add_(1)
    return [*reports, seen, seen.report()]


def test_nothing_is_changed():
    x = torch.arange(3.0, requires_grad=True)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters())
    model(x).backward()
    optimizer.step()
    y = x * 2
    things = [x, y, *model.parameters()]

    def state():
        flags = [(t._version, t.requires_grad, t.is_leaf, t.grad_fn, t.data_ptr()) for t in things]
        return flags, [t.tolist() for t in things], [id(t.grad) for t in things if t.is_leaf]

    before = state()
    use_everything(x, y, model, optimizer)
    assert state() == before
    y.sum().backward()


def test_no_graph_and_no_tensor_is_kept_alive():
    x = torch.arange(3.0, requires_grad=True)
    model = nn.Linear(3, 1)
    y = x * 2
    middle = weakref.ref(y)
    reports = use_everything(x, y, model, torch.optim.SGD(model.parameters(), lr=0.1))
    del y
    gc.collect()
    assert middle() is None
    held = [o for o in gc.get_referrers(x) if any(o is vars(r) for r in reports)]
    assert not held and all(str(report) for report in reports)


def test_watch_leaves_results_gradients_and_version_counters_as_they_are():
    def train(watched):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True))
        model.append(nn.Linear(8, 1))
        counters = []
        for options in ({"foreach": True}, {"foreach": False}, {"fused": True}):
            optimizer = torch.optim.AdamW(model.parameters(), **options)
            with watch(model=model) if watched else torch.enable_grad():
                for _ in range(2):
                    optimizer.zero_grad()
                    model(torch.ones(3, 4) / 3).sum().backward()
                    optimizer.step()
            counters += [p._version for p in model.parameters()]
        return counters, [t.tolist() for t in model.state_dict().values()]

    assert train(False) == train(True)


def test_in_place_methods_count_alike_under_watch():
    source = (ROOT / "book" / "_snippets" / "in_place.py").read_text(encoding="utf-8")
    names = {}
    exec(source, names)
    for name, call in names["in_place_methods"]("cpu").items():
        plain, watched = names["numbers"]("cpu"), names["numbers"]("cpu")
        torch.manual_seed(0)
        call(plain)
        torch.manual_seed(0)
        with watch(watched=watched) as seen:
            call(watched)
        assert plain._version == watched._version, name
        moved = plain._version > 0 and name not in ("detach_", "requires_grad_")
        touched = not torch.equal(plain.nan_to_num(), names["numbers"]("cpu").nan_to_num())
        assert bool(seen) or seen.moved or not (moved and touched), name


# watch


def ways_to_write():
    def optimizer(**options):
        def write(x):
            p = x.detach().requires_grad_()
            p.grad = torch.ones_like(p)
            torch.optim.SGD([p], lr=0.1, **options).step()

        return write

    def batch_norm(x):
        nn.functional.batch_norm(torch.randn(5, 3), x, torch.ones(3), training=True)

    return {
        "add_": lambda x: x.add_(1),
        "setitem": lambda x: x.__setitem__(1, 5.0),
        "out": lambda x: torch.add(x.clone(), 1, out=x),
        "a view": lambda x: x[1:].mul_(2),
        ".data": lambda x: x.data.mul_(2),
        "copy_": lambda x: x.copy_(torch.ones(3)),
        "relu": lambda x: nn.ReLU(inplace=True)(x),
        "optimizer": optimizer(foreach=False),
        "foreach": optimizer(foreach=True),
        "fused": optimizer(fused=True),
        "init": lambda x: nn.init.normal_(x),
        "load_state_dict": lambda x: load(x),
        "batch norm": batch_norm,
        "DLPack": lambda x: torch.from_dlpack(x).zero_(),
        "a tensor on an array": lambda x: torch.from_numpy(x.numpy()).zero_(),
        "no_grad": lambda x: torch.no_grad()(x.add_)(1),
    }


def load(x):
    module = nn.Linear(3, 1, bias=False)
    module.weight = nn.Parameter(x[None])
    module.load_state_dict({"weight": torch.zeros(1, 3)})


@pytest.mark.parametrize("way", ways_to_write())
def test_watch_names_the_line_and_the_operation(way):
    x, other = torch.tensor([-1.0, 2.0, 3.0]), torch.ones(3)
    with watch(x=x, other=other) as seen:
        ways_to_write()[way](x)
    assert seen and {w.name for w in seen.writes} == {"x"} and not seen.unseen
    assert all(re.match(r"test_whoshares\.py:\d+: \S", w.line) for w in seen.writes)
    assert "x" in str(seen) and "other: nothing that was seen" in str(seen)
    unnoticed = way in (".data", "fused", "batch norm", "DLPack", "a tensor on an array")
    assert any(w.unnoticed for w in seen.writes) == unnoticed


def test_watch_knows_that_batch_norm_only_reads_in_eval_mode():
    layer, batch = nn.BatchNorm1d(3), torch.randn(5, 3)
    for mode in (layer.train(), layer.eval()):
        with watch(layer=layer) as seen:
            mode(batch)
        assert bool(seen) == layer.training and {w.name for w in seen.writes} == (
            {"layer.running_mean", "layer.running_var", "layer.num_batches_tracked"}
            if layer.training
            else set()
        )


def test_watch_sees_what_backward_writes():
    w = torch.ones(3, requires_grad=True)
    (w * 2).sum().backward()
    with watch(grad=w.grad) as seen:
        (w * 2).sum().backward()
    assert "backward()" in seen.writes[0].line


def test_watch_notices_at_the_end_what_no_dispatcher_sees():
    x = torch.zeros(3)
    with watch(x=x) as seen:
        x.numpy()[0] = 1
    assert seen and seen.unseen == ["x"] and not seen.writes and "no operation" in str(seen)
    with watch(x=x) as seen:
        x.add_(1)
        x.numpy()[0] = 7
        x.add_(1)
    assert seen.unseen == ["x"] and len(seen.writes) == 2
    array = np.zeros(3)
    with watch(array=array, part=array[1:]) as seen:
        array[0] = 1
    assert seen.unseen == ["array"]
    with watch(x=x) as seen:
        thread = threading.Thread(target=lambda: x.add_(1))
        thread.start()
        thread.join()
    assert seen.unseen == ["x"] and not seen.writes


def test_what_watch_cannot_see():
    x = torch.zeros(3)
    with watch(x=x) as seen:  # the old value comes back
        x.numpy()[0] = 1
        x.numpy()[0] = 0
    assert not seen
    big = torch.zeros(2**19)
    with watch(big=big) as seen:
        big.add_(1)
        big.numpy()[0] = 7
    assert not seen.unseen and "is not known" in str(seen)
    meta = torch.ones(2, device="meta")
    with watch(meta=meta, x=x) as seen:
        meta.add_(1)
    assert not seen and "meta: cannot be watched" in str(seen)


def test_watch_tells_what_has_moved():
    x = torch.zeros(3)
    with watch(x=x) as seen:
        x.data = torch.ones(3)
        x.add_(1)
    assert seen.moved == ["x"] and not seen.writes and "another memory" in str(seen)


def test_an_error_inside_watch_comes_out_and_is_not_counted():
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"), watch(x=x) as seen:
        x.add_(1)
    assert not seen


def test_watch_in_inference_mode_and_twice():
    x = torch.zeros(3)
    with torch.inference_mode():
        y = torch.ones(3)
        with watch(x=x, y=y) as seen:
            y.add_(1)
    assert [w.name for w in seen.writes] == ["y"] and not seen.writes[0].unnoticed
    with watch(x=x) as outer, watch(x=x) as inner:
        x.add_(1)
    assert outer and inner


# draw, steps, audit


def test_pictures_of_many_tensors_and_wide_graphs():
    rows = list(torch.zeros(60, 2).clone().unbind())
    assert "Not drawn: 20 more" in str(draw(rows=rows))
    alone = draw(**{f"a_rather_long_name_of_a_tensor_{i}": torch.zeros(1) for i in range(12)})
    width = int(re.search(r'width="(\d+)"', alone.rich["image/svg+xml"])[1])
    assert width < 1000 and alone.text.count("uses storage") == 12
    model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(8)))
    deep = str(draw(w=model[0].weight, loss=model(torch.ones(1, 2)).sum()))
    assert "through results without a name, to AccumulateGrad (w)" in deep and "Not drawn" in deep


def test_a_picture_of_a_view_that_no_gradient_passes():
    w = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        view = w[:2]
    text = str(draw(w=w, view=view))
    assert text.count("leaf, requires grad) uses storage A") == 2
    assert "Gradients flow from CloneBackward0 (c) to AccumulateGrad (w)" in str(
        draw(view=view, w=w, c=w.clone())
    )
    flagged = torch.ones(3)[:2].requires_grad_()
    assert "to AccumulateGrad (flagged)" in str(draw(flagged=flagged, twice=flagged * 2))


def test_a_picture_of_what_has_no_values():
    meta = torch.ones(2, device="meta")
    text = str(draw(meta=meta, view=meta[1:], other=torch.ones(2, device="meta")))
    assert text.count("storage A") == 2 and "Storage B holds no values" in text
    assert "s._values()" in str(draw(s=torch.eye(2).to_sparse()))
    a = torch.from_dlpack((x := torch.arange(4.0))[2:])
    assert str(draw(a=a, x=x)).count("uses storage A") == 2


def test_steps_of_a_chain():
    x = torch.arange(3.0, requires_grad=True)
    report = steps("x.detach().clone().numpy()[1:]", x=x)
    assert [row[0].rpartition(".")[2] for row in report.rows] == [
        "x", "detach()", "clone()", "numpy()", "numpy()[1:]"
    ]  # fmt: skip
    memory, new = [row[5] for row in report.rows], [row[6] for row in report.rows]
    assert memory[1:4] == ["that of x", "its own", "that of x.detach().clone()"]
    assert new == ["0", "0", "12", "0", "0"]


def test_steps_knows_the_gradient_that_was_there():
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.ones(3)
    *_, first, last = steps("x.grad.clone()", x=x, timed=False).rows
    assert first[5:7] == ["x.grad itself", "0"] and last[5:7] == ["its own", "12"]


def test_steps_names_the_step_that_raises_and_the_entry():
    x = torch.arange(3.0, requires_grad=True)
    report = steps("(x * 2).numpy().copy()", x=x)
    assert not report and report.rows[-1][:2] == ["(x * 2).numpy()", "raises"]
    alive = weakref.ref(x)
    del x
    assert alive() is None, "what raised holds the tensors that were given"
    assert "Errors and warnings: Can't call numpy() on Tensor that requires grad" in str(report)


def test_steps_leaves_out_what_a_chained_comparison_leaves_out():
    x = torch.zeros(2)
    steps("0 < x[0] < x.add_(1)[0]", x=x)
    assert x.tolist() == [0, 0]


def test_steps_runs_the_line_once_on_the_tensor_itself():
    x, calls = torch.zeros(3), []
    steps("f(x).add_(1)", x=x, f=lambda t: (calls.append(1), t)[1])
    assert calls == [1] and x.tolist() == [1, 1, 1]
    for line in ("x[0] = 5", "x += 1", "y = [t * 2 for t in (x if True else 0)]", "x[-1:].sum()"):
        assert steps(line, x=x)
    assert x.tolist() == [6, 2, 2]
    for line in ("[f(t) for t in [x]]", "x.dim() and f(x)", "f(x) if True else x", "(z := f(x))"):
        calls.clear()
        report = steps(line, x=x, f=lambda t: (calls.append(1), t)[1])
        assert calls == [1] and report.rows[-1][0] == line
    assert steps("f'{f(x)}', [f(x) for _ in 'ab']", x=x, f=lambda t: (calls.append(1), t)[1])
    assert calls == [1, 1, 1, 1]


def net():
    return nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 1))


def test_audit_finds_what_training_will_change():
    model = net()
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(4, 2)).sum().backward()
    optimizer.step()
    best, target = model.state_dict(), copy.deepcopy(model)
    assert audit(model, optimizer, best=best) and "the next step changes" in str(
        audit(model, optimizer, best=best)
    )
    assert not audit(model, optimizer, best=copy.deepcopy(best), target=target)
    for p, q in zip(target.parameters(), model.parameters(), strict=True):
        p.data = q.data
    assert "4 of 7" in (text := str(audit(model, optimizer, target=target))) or "6 of 9" in text
    assert "backward()" in str(audit(model, grads=[p.grad for p in model.parameters()]))
    assert audit(model, optimizer, state=optimizer.state_dict())
    assert not audit(model, optimizer, state=copy.deepcopy(optimizer.state_dict()))


def test_audit_of_the_model_itself():
    layer = nn.Linear(2, 2)
    assert "are one layer" in str(audit(nn.ModuleList([layer] * 3)))
    act = nn.ReLU()  # nothing in it that two places could share
    assert not audit(nn.Sequential(nn.Linear(2, 2), act, nn.Linear(2, 2), act))
    norm = nn.BatchNorm1d(2, affine=False)  # buffers, and no parameter
    assert audit(nn.Sequential(norm, nn.Linear(2, 2), norm))
    model = net()
    model[2].weight = nn.Parameter(model[0].weight[:1])
    assert "different objects" in str(audit(model)) and audit(model)
    model[2].weight = model[0].weight
    assert "tied weights" in str(audit(model)) and not audit(model)
    frozen = net().requires_grad_(False)
    assert not audit(frozen, backbone=frozen[0])


def test_audit_of_lists_graphs_and_slices():
    x = torch.ones(3, requires_grad=True)
    assert "one object" in str(audit(hidden=[x.detach()] * 3))
    assert "graph alive" in str(audit(losses=[(x * 2).sum(), (x * 3).sum()]))
    assert "4,000 bytes" in str(audit(heads=[torch.ones(1000)[:2]]))
    assert not audit(losses=[(x * 2).sum().detach()], copies=[x.detach().clone() for _ in "ab"])


def test_audit_of_optimizers():
    model, other = net(), net()
    assert "belong to no model" in str(audit(model, torch.optim.SGD(other.parameters(), lr=0.1)))
    aliases = [p.detach().requires_grad_() for p in model.parameters()]
    assert "lie on the memory" in str(audit(model, torch.optim.SGD(aliases, lr=0.1)))
    part = audit(model, torch.optim.SGD(model[0].parameters(), lr=0.1))
    assert not part and "no optimizer steps 4 parameters" in str(part)


def test_one_file_mapped_twice_is_not_seen(tmp_path):
    file = tmp_path / "values"
    np.zeros(4, np.float32).tofile(file)
    a, b = (torch.from_file(str(file), shared=True, size=4) for _ in "ab")
    a.fill_(1)
    assert b.tolist() == [1, 1, 1, 1] and not share(a, b)
