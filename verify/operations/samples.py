"""The operations to ask, and inputs for each: PyTorch's operator database, and hand-written ones.

The database (`op_db`) is the one that PyTorch's own tests use. It is no public interface: where a
release has moved it, `database()` raises `Moved`, and its operations are *not asked*.
"""

import functools
import random
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

SPACES = {
    "": torch,
    "nn.functional.": torch.nn.functional,
    "linalg.": torch.linalg,
    "fft.": torch.fft,
    "special.": torch.special,
}
# Public, but not among the overrides: functions that also take something else than a tensor.
MORE = """as_strided as_tensor asarray from_dlpack tensor rand_like randn_like randint_like fill
vander normal nn.functional.hardsigmoid nn.functional.hardswish nn.functional.sigmoid
nn.functional.tanh nn.functional.upsample nn.functional.upsample_bilinear
nn.functional.upsample_nearest""".split()  # noqa: SIM905
SMALL = 600  # elements of all tensors of a sample together


class Moved(LookupError):
    """The operator database cannot be read; the message says why."""


class Sample(NamedTuple):
    """A call of an operation: its text, its tensors, and a function that takes these."""

    call: str
    leaves: list
    own: int  # so many of the leaves are the input itself, which is laid out in other ways
    run: Callable


# --- The operations


@functools.cache
def operations() -> dict[str, dict[str, Callable]]:
    """Return for each operation its forms: {"ravel": {"torch.ravel": …, "Tensor.ravel": …}}."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = torch.overrides.get_testing_overrides()
    found: dict[str, dict[str, Callable]] = {}
    for space, module in SPACES.items():
        for name in dir(module):
            function = getattr(module, name)
            public = callable(function) and not isinstance(function, type)
            if not name.startswith("_") and public:
                row = space + name
                if row in MORE or any(function is f for f in (function,) if f in known):
                    found.setdefault(row, {})[f"torch.{row}"] = function
    for name in dir(Tensor):
        if not name.startswith("_"):
            found.setdefault(name, {})[f"Tensor.{name}"] = getattr(Tensor, name)
    for name in [name for name in found if name.endswith("_") and name[:-1] in found]:
        found[name[:-1]].update(found.pop(name))
    for space, module in list(SPACES.items())[:2]:  # torch.relu_ is among no overrides
        for name in [name for name in found if name.startswith(space)]:
            written = name.removeprefix(space) + "_"
            if callable(getattr(module, written, None)):
                found[name].setdefault(f"torch.{space}{written}", getattr(module, written))
    return dict(sorted(found.items()))


# --- The operator database


@functools.cache
def database() -> tuple:
    """Return the entries of PyTorch's operator database."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from torch.testing._internal.common_methods_invocations import op_db
        return tuple(op for op in op_db if op.dtypes is not None)
    except (ImportError, AttributeError) as error:
        raise Moved(f"the operator database of this torch cannot be read: {error}") from None


@functools.cache
def by_name() -> dict[str, list]:
    """Return for each name, aliases too, the entries and their functions."""
    found: dict[str, list] = {}
    for entry in database():
        # For CUDA; and samples of the form that writes, under the name of the one that does not.
        if entry.name.startswith("jiterator") or entry.variant_test_name == "in_place":
            continue
        for named in (entry, *entry.aliases):
            name = named.name.removeprefix("torch.")
            found.setdefault(name, []).append((entry, named.op))
    return found


def seed() -> None:
    """Make what is drawn the same in each run."""
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)


def from_database(name: str, dtype: torch.dtype, most: int) -> Iterator[Sample]:
    """Yield samples of an operation: the first ones of each of its entries."""
    for entry, function in by_name().get(name, ()):
        if dtype not in entry.dtypes:
            continue
        seed()
        for sample in islice(entry.sample_inputs("cpu", dtype), most):
            leaves, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
            leaves = [leaf.detach() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
            tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
            if sum(t.numel() for t in tensors) > SMALL or not tensors:
                continue
            if any(t.layout != torch.strided for t in tensors):
                continue

            def run(
                leaves: list, spec=spec, given=function, _function=None, **options: object
            ) -> object:
                x, args, named = tree_unflatten(leaves, spec)
                return (_function or given)(x, *args, **named, **options)

            own = len(tree_flatten(sample.input)[0])
            yield Sample(call_of(name, sample), leaves, own, run)


def call_of(name: str, sample: object) -> str:
    """Return the call as text: `reshape(x, (6,))`."""
    first = "x" if isinstance(sample.input, Tensor) else text_of(sample.input)
    words = [first, *map(text_of, sample.args)]
    words += [f"{key}={text_of(value)}" for key, value in sample.kwargs.items()]
    return f"{name}({', '.join(words)})"


def text_of(value: object) -> str:
    """Return a value as text, a tensor as its dtype and shape."""
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        inner = ", ".join(map(text_of, value))
        closing = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{closing})"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = repr(value)
    return text if " at 0x" not in text else f"<{type(value).__name__}>"


# --- Samples by hand: `x` is a float32 tensor 0, 1, 2, … of the shape, `y` another one like it

BY_HAND = """
adaptive_avg_pool1d 1×4 f(x, 2) | f(x, 4)
adaptive_max_pool1d 1×4 f(x, 2) | f(x, 4)
affine_grid_generator 1×2×3 f(x, [1, 1, 2, 2], False)
alpha_dropout 2×3 f(x, 0.5, False) | f(x, 0.5, True) | f(x, 0.0, True)
as_strided 2×3 f(x, (3, 2), (1, 3)) | f(x, (2,), (1,))
as_subclass 2×3 f(x, Tensor) | f(x, nn.Parameter)
asarray 2×3 f(x, copy=True) | f(x, copy=False) | f(x, dtype=float64)
as_tensor 2×3 f(x, dtype=float64)
tensor 2×3 f(x, dtype=float64)
from_dlpack 2×3 f(x, copy=True) | f(x, copy=False)
avg_pool1d 1×4 f(x, 2) | f(x, 1)
batch_norm 2×3 f(x, None, None, None, None, True, 0.1, 1e-5, False) | f(x, None, None, y[0], y[1], True, 0.1, 1e-5, False)
bilinear 2×3 f(x, y, torch.ones(2, 3, 3), None)
binary_cross_entropy_with_logits 2×3 f(x, y)
binomial 2×3 f(x, torch.full_like(x, 0.5))
chain_matmul 3×3 f(x, y) | f(x)
channel_shuffle 1×4×2×2 f(x, 2) | f(x, 1)
native_channel_shuffle 1×4×2×2 f(x, 2) | f(x, 1)
nn.functional.native_channel_shuffle 1×4×2×2 f(x, 2) | f(x, 1)
choose_qparams_optimized 4 f(x, 4, 2, 0.1, 8)
conv_tbc 3×1×2 f(x, torch.ones(1, 2, 2), torch.ones(2), 0)
nn.functional.conv_tbc 3×1×2 f(x, torch.ones(1, 2, 2), torch.ones(2), 0)
convolution 1×1×4 f(x, torch.ones(1, 1, 2), None, [1], [0], [1], False, [0], 1)
cosine_embedding_loss 2×3 f(x, y, torch.ones(2))
cosine_similarity 2×3 f(x, y)
ctc_loss 4×1×3 f(x.log_softmax(2), torch.ones(1, 2, dtype=torch.long), torch.tensor([4]), torch.tensor([2]))
dequantize 2×3 f(torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)) | f(x)
dropout 2×3 f(x, 0.5, False) | f(x, 0.5, True) | f(x, 0.0, True) | f(x, 0.0, False)
feature_dropout 1×2×3 f(x, 0.5, False) | f(x, 0.5, True) | f(x, 0.0, True)
feature_alpha_dropout 1×2×3 f(x, 0.5, False) | f(x, 0.5, True) | f(x, 0.0, True)
native_dropout 2×3 f(x, 0.5, True) | f(x, 0.5, False)
embedding 4×3 f(x, torch.tensor([0, 2])) | f(x, torch.arange(4))
embedding_bag 4×3 f(x, torch.tensor([0, 2]), torch.tensor([0]))
fake_quantize_per_channel_affine 2×3 f(x, torch.ones(2), torch.zeros(2, dtype=torch.int32), 0, 0, 255)
fake_quantize_per_tensor_affine 2×3 f(x, 1.0, 0, 0, 255)
frobenius_norm 2×3 f(x, [0, 1])
nuclear_norm 2×3 f(x)
grid_sampler 1×1×2×2 f(x, torch.zeros(1, 2, 2, 2), 0, 0, False)
hinge_embedding_loss 2×3 f(x, torch.ones(2, 3))
instance_norm 1×2×3 f(x, None, None, None, None, True, 0.1, 1e-5, False)
kl_div 2×3 f(x, y)
lobpcg 9×9 f(x @ x.mT + torch.eye(9))
gru_cell 1×3 f(x, torch.ones(1, 2), torch.ones(6, 3), torch.ones(6, 2))
lstm_cell 1×3 f(x, (torch.ones(1, 2), torch.ones(1, 2)), torch.ones(8, 3), torch.ones(8, 2))
rnn_relu_cell 1×3 f(x, torch.ones(1, 2), torch.ones(2, 3), torch.ones(2, 2))
rnn_tanh_cell 1×3 f(x, torch.ones(1, 2), torch.ones(2, 3), torch.ones(2, 2))
gru 2×1×3 f(x, torch.ones(1, 1, 2), [torch.ones(6, 3), torch.ones(6, 2)], False, 1, 0.0, False, False, False)
lstm 2×1×3 f(x, [torch.ones(1, 1, 2), torch.ones(1, 1, 2)], [torch.ones(8, 3), torch.ones(8, 2)], False, 1, 0.0, False, False, False)
rnn_relu 2×1×3 f(x, torch.ones(1, 1, 2), [torch.ones(2, 3), torch.ones(2, 2)], False, 1, 0.0, False, False, False)
rnn_tanh 2×1×3 f(x, torch.ones(1, 1, 2), [torch.ones(2, 3), torch.ones(2, 2)], False, 1, 0.0, False, False, False)
margin_ranking_loss 3 f(x, y, torch.ones(3))
max_pool1d 1×4 f(x, 2) | f(x, 1)
max_pool1d_with_indices 1×4 f(x, 2) | f(x, 1)
max_pool2d 1×1×4×4 f(x, 2) | f(x, 1)
max_pool3d 1×1×2×2×2 f(x, 2) | f(x, 1)
nn.functional.adaptive_max_pool1d_with_indices 1×4 f(x, 2)
nn.functional.adaptive_max_pool2d_with_indices 1×4×4 f(x, 2)
nn.functional.adaptive_max_pool3d_with_indices 1×2×2×2 f(x, 1)
nn.functional.fractional_max_pool2d_with_indices 1×4×4 f(x, 2, output_size=2)
nn.functional.fractional_max_pool3d_with_indices 1×4×4×4 f(x, 2, output_size=2)
nn.functional.max_pool1d_with_indices 1×4 f(x, 2)
nn.functional.max_pool2d_with_indices 1×4×4 f(x, 2)
nn.functional.max_pool3d_with_indices 1×2×2×2 f(x, 2)
nn.functional.lp_pool1d 1×4 f(x, 2, 2) | f(x, 1, 1)
nn.functional.lp_pool2d 1×1×4×4 f(x, 2, 2)
nn.functional.lp_pool3d 1×1×2×2×2 f(x, 2, 2)
nn.functional.affine_grid 1×2×3 f(x, [1, 1, 2, 2], align_corners=False)
nn.functional.dropout1d 1×2×3 f(x, training=False) | f(x) | f(x, 0.0)
nn.functional.fold 1×4×1 f(x, (2, 2), (2, 2))
nn.functional.gumbel_softmax 2×3 f(x, hard=True)
nn.functional.upsample 1×1×2×2 f(x, scale_factor=2) | f(x, size=(2, 2))
nn.functional.upsample_bilinear 1×1×2×2 f(x, scale_factor=2) | f(x, size=(2, 2))
nn.functional.upsample_nearest 1×1×2×2 f(x, scale_factor=2) | f(x, size=(2, 2))
new_tensor 2×3 f(x, y) | f(x, [1.0])
norm_except_dim 2×3 f(x, 2, 0)
nuclear_norm 2×3 f(x)
pairwise_distance 2×3 f(x, y)
pixel_shuffle 1×4×2×2 f(x, 2) | f(x, 1)
pixel_unshuffle 1×1×2×2 f(x, 2) | f(x, 1)
poisson_nll_loss 2×3 f(x, y, True, False, 1e-8, 1)
prelu 2×3 f(x, torch.ones(1)) | f(x, torch.ones(3))
quantize_per_tensor 2×3 f(x, 0.1, 0, torch.quint8)
quantize_per_tensor_dynamic 2×3 f(x, torch.quint8, False)
quantize_per_channel 2×3 f(x, torch.ones(2), torch.zeros(2), 0, torch.quint8)
int_repr 2×3 f(torch.quantize_per_tensor(x, 0.1, 0, torch.quint8))
resize 2×3 f(x, 3, 2) | f(x, 2, 2)
resize_as 2×3 f(x, torch.ones(3, 2)) | f(x, y)
resize_ 2×3 f(x, (3, 2)) | f(x, (2, 2))
resize_as_ 2×3 f(x, torch.ones(3, 2)) | f(x, y)
segment_reduce 4 f(x, "sum", lengths=torch.tensor([2, 2]))
select_copy 2×3 f(x, 0, 1)
slice_copy 2×3 f(x, 0, 1) | f(x)
slice_inverse 2×3 f(x, y, 0)
split_copy 4 f(x, 2) | f(x, 4)
unsafe_split_with_sizes 4 f(x, [1, 3]) | f(x, [4])
special.gammainc 2×3 f(x + 1, y)
special.gammaincc 2×3 f(x + 1, y)
threshold 2×3 f(x, 1.0, 0.0)
to_sparse_coo 2×3 f(x)
triplet_margin_loss 2×3 f(x, y, y + 1)
type 2×3 f(x, torch.float32) | f(x, torch.float64) | f(x, "torch.FloatTensor")
type_as 2×3 f(x, y) | f(x, y.double()) | f(x, x)
view_as_complex_copy 3×2 f(x)
view_as_real_copy 2 f(torch.complex(x, y))
apply_ 2×3 f(x, lambda value: value + 1)
map_ 2×3 f(x, y, lambda a, b: a + b)
map2_ 2×3 f(x, y, y, lambda a, b, c: a + b + c)
copy_ 2×3 f(x, y) | f(x, x) | f(x, y[0])
fill_ 2×3 f(x, 1.0)
fill 2×3 f(x, 1.0)
fill_diagonal_ 3×3 f(x, 1.0)
geometric_ 2×3 f(x, 0.5)
set_ 2×3 f(x, y) | f(x)
randint_like 2×3 f(x, 3)
normal 2×3 f(x) | f(x, 1.0) | f(0.0, x + 1)
grad 2×3 f(x)
batch_norm_stats 2×3 f(x, 1e-5)
batch_norm_update_stats 2×3 f(x, None, None, 0.1)
slogdet 2×2 f(x + 1)
vander 3 f(x)
slice_scatter 2×3 f(x, y[:1], 0, 0, 1)
grid_sampler_2d 1×1×2×2 f(x, torch.zeros(1, 2, 2, 2), 0, 0, False)
coalesce 2×2 f(x.to_sparse()) | f(torch.sparse_coo_tensor([[0, 0], [0, 0]], x[0]))
indices 2×2 f(x.to_sparse())
values 2×2 f(x.to_sparse()) | f(x.to_sparse_csr())
values_copy 2×2 f(x.to_sparse())
indices_copy 2×2 f(x.to_sparse())
crow_indices 2×2 f(x.to_sparse_csr())
col_indices 2×2 f(x.to_sparse_csr())
ccol_indices 2×2 f(x.to_sparse_csc())
row_indices 2×2 f(x.to_sparse_csc())
crow_indices_copy 2×2 f(x.to_sparse_csr())
col_indices_copy 2×2 f(x.to_sparse_csr())
ccol_indices_copy 2×2 f(x.to_sparse_csc())
row_indices_copy 2×2 f(x.to_sparse_csc())
to_sparse_bsr 2×2 f(x, (1, 1))
to_sparse_bsc 2×2 f(x, (1, 1))
q_scale 2×2 f(torch.quantize_per_tensor(x, 0.1, 0, torch.quint8))
q_zero_point 2×2 f(torch.quantize_per_tensor(x, 0.1, 0, torch.quint8))
qscheme 2×2 f(torch.quantize_per_tensor(x, 0.1, 0, torch.quint8))
q_per_channel_scales 2×2 f(torch.quantize_per_channel(x, y[0], y[1].long() * 0, 0, torch.quint8))
q_per_channel_zero_points 2×2 f(torch.quantize_per_channel(x, y[0], y[1].long() * 0, 0, torch.quint8))
q_per_channel_axis 2×2 f(torch.quantize_per_channel(x, y[0], y[1].long() * 0, 0, torch.quint8))
is_same_size 2×3 f(x, y)
is_set_to 2×3 f(x, y)
is_coalesced 2×2 f(x.to_sparse())
is_nonzero 1 f(x)
index 2×3 f(x, [torch.tensor([0])])
module_load 2×3 f(x, y)
backward 1 f(x.requires_grad_() * 1)
retain_grad 1 f(x.requires_grad_() * 1)
register_hook 1 f(x.requires_grad_(), print)
register_post_accumulate_grad_hook 1 f(x.requires_grad_(), print)
native_norm 2×2 f(x.to_sparse())
nn.functional.ctc_loss 4×1×3 f(x.log_softmax(2), torch.ones(1, 2, dtype=torch.long), torch.tensor([4]), torch.tensor([2]))
sparse_resize_ 2×2 f(x.to_sparse(), (2, 2), 2, 0)
sparse_resize_and_clear_ 2×2 f(x.to_sparse(), (2, 2), 2, 0)
resize_as_sparse_ 2×2 f(x.to_sparse(), y.to_sparse())
fused_moving_avg_obs_fake_quant 4 f(x, torch.ones(1), torch.ones(1), torch.zeros(1), torch.ones(1), torch.ones(1), torch.zeros(1, dtype=torch.int32), 0.01, 0, 255, 0)
sparse_mask 2×3 f(x, y.to_sparse())
smm 2×2 f(x.to_sparse(), y)
spmm 2×2 f(x.to_sparse(), y)
dsmm 2×2 f(x.to_sparse(), y)
hsmm 2×2 f(x.to_sparse(), y)
hspmm 2×2 f(x.to_sparse(), y)
saddmm 2×2 f(y, x.to_sparse(), y)
sspaddmm 2×2 f(x.to_sparse(), y.to_sparse(), y)
to_sparse 2×3 f(x)
to_mkldnn 2×3 f(x)
"""
# Arguments that ask for what is there already, and a few that the database lacks.
FITTING = """
reshape 2×3 f(x, (2, 3)) | f(x, (6,))
reshape_as 2×3 f(x, y)
view 2×3 f(x, (2, 3)) | f(x, float32) | f(x, torch.int32)
view_as 2×3 f(x, y) | f(x, x)
flatten 6 f(x)
flatten 2×3 f(x) | f(x, 1)
ravel 6 f(x)
unflatten 6 f(x, 0, (2, 3)) | f(x, 0, (6,))
contiguous 2×3 f(x) | f(x, memory_format=torch.contiguous_format)
contiguous 1×2×2×2 f(x, memory_format=torch.channels_last)
to 2×3 f(x, float32) | f(x, float64) | f(x, "cpu") | f(x, y) | f(x, float32, copy=True)
float 2×3 f(x) | f(x, memory_format=torch.contiguous_format)
double 2×3 f(x)
expand 2×3 f(x, 2, 3) | f(x, 4, 2, 3)
expand_as 2×3 f(x, y)
broadcast_to 2×3 f(x, (2, 3)) | f(x, (4, 2, 3))
broadcast_tensors 2×3 f(x, y) | f(x, y[0]) | f(x)
squeeze 2×3 f(x) | f(x, 0)
squeeze 2×1×3 f(x) | f(x, 1) | f(x, 0)
unsqueeze 2×3 f(x, 0)
atleast_1d 3 f(x)
atleast_2d 2×3 f(x)
atleast_2d 3 f(x)
atleast_3d 2×1×3 f(x)
atleast_3d 3 f(x)
transpose 2×3 f(x, 0, 1) | f(x, 0, 0)
permute 2×3 f(x, (1, 0)) | f(x, (0, 1))
movedim 2×3 f(x, 0, 1) | f(x, 0, 0)
t 2×3 f(x)
t 3 f(x)
narrow 4 f(x, 0, 1, 2) | f(x, 0, 0, 4)
narrow_copy 4 f(x, 0, 1, 2) | f(x, 0, 0, 4)
chunk 4 f(x, 2) | f(x, 1)
split 4 f(x, 2) | f(x, 4)
tensor_split 4 f(x, 2) | f(x, 1)
meshgrid 2 f(x, y, indexing="ij") | f(x, indexing="ij") | f(x, y, indexing="xy")
cartesian_prod 3 f(x) | f(x, y)
combinations 3 f(x, 2) | f(x, 1)
block_diag 2×3 f(x) | f(x, y)
cat 2×3 f([x]) | f([x, y]) | f([x, torch.empty(0)])
stack 2×3 f([x]) | f([x, y])
hstack 2×3 f([x])
vstack 2×3 f([x])
dstack 2×3 f([x])
column_stack 2×3 f([x])
einsum 2×3 f("ij->ij", x) | f("ij->ji", x) | f("ij->i", x) | f("ij,ij->ij", x, y)
einsum 3×3 f("ii->i", x)
tensordot 2×3 f(x, y, 0)
matrix_power 3×3 f(x, 1) | f(x, 2) | f(x, 0)
linalg.matrix_power 3×3 f(x, 1) | f(x, 2) | f(x, 0)
linalg.multi_dot 3×3 f([x, y])
flip 2×3 f(x, (0,)) | f(x, ())
roll 2×3 f(x, 0) | f(x, 1)
rot90 2×3 f(x, 0) | f(x, 1) | f(x, 2)
tile 2×3 f(x, (1, 1)) | f(x, (1,)) | f(x, (2, 1)) | f(x, ())
repeat 2×3 f(x, 1, 1) | f(x, 2, 1)
repeat_interleave 3 f(x, 1) | f(x, 2)
diff 3 f(x, n=0) | f(x)
sum_to_size 2×3 f(x, 2, 3) | f(x, 1, 3)
sum 2×3 f(x) | f(x, ()) | f(x, 0)
mean 2×3 f(x) | f(x, 0)
select 2×3 f(x, 0, 1)
index_select 2×3 f(x, 0, torch.arange(2))
take_along_dim 2×3 f(x, torch.zeros(2, 3, dtype=torch.long), 1)
gather 2×3 f(x, 1, torch.zeros(2, 3, dtype=torch.long))
masked_select 2×3 f(x, x >= 0)
where 2×3 f(x >= 0, x, y)
clamp 2×3 f(x, min=-1.0)
clone 2×3 f(x) | f(x, memory_format=torch.contiguous_format)
nan_to_num 2×3 f(x)
real 2×3 f(x)
real 2 f(torch.complex(x, y))
imag 2 f(torch.complex(x, y))
conj 2×3 f(x)
resolve_conj 2×3 f(x)
resolve_neg 2×3 f(x)
conj_physical 2×3 f(x)
adjoint 2×3 f(x)
positive 2×3 f(x)
view_as_real 2 f(torch.complex(x, y))
view_as_complex 3×2 f(x)
diagonal 3×3 f(x)
diag 3×3 f(x)
diag 3 f(x)
unfold 4 f(x, 0, 2, 1) | f(x, 0, 4, 1)
unbind 2×3 f(x)
hsplit 2×4 f(x, 2) | f(x, 1)
vsplit 4×2 f(x, 2) | f(x, 1)
dsplit 1×1×4 f(x, 2) | f(x, 1)
swapaxes 2×3 f(x, 0, 1)
tril 3×3 f(x)
masked_fill 2×3 f(x, x > 100, 0.0)
pow 2×3 f(x, 1) | f(x, 2)
float_power 2×3 f(x, 1)
add 2×3 f(x, 0) | f(x, y)
mul 2×3 f(x, 1) | f(x, y)
corrcoef 3 f(x)
cov 2×3 f(x)
nn.functional.dropout 2×3 f(x, training=False) | f(x, 0.5) | f(x, 0.0) | f(x, 1.0)
nn.functional.dropout2d 1×2×2×2 f(x, training=False) | f(x, 0.5) | f(x, 0.0)
nn.functional.dropout3d 1×2×1×2×2 f(x, training=False) | f(x, 0.5) | f(x, 0.0)
nn.functional.alpha_dropout 2×3 f(x, training=False) | f(x, 0.5, training=True) | f(x, 0.0, training=True)
nn.functional.feature_alpha_dropout 1×2×2 f(x, training=False) | f(x, 0.5, training=True) | f(x, 0.0, training=True)
nn.functional.pad 2×3 f(x, (0, 0)) | f(x, (1, 0)) | f(x, (0, -1)) | f(x, ())
nn.functional.pad 1×1×3 f(x, (0, 0), mode="replicate")
nn.functional.interpolate 1×1×2×2 f(x, scale_factor=1) | f(x, size=(2, 2), mode="bilinear") | f(x, scale_factor=2)
nn.functional.adaptive_avg_pool1d 1×4 f(x, 4) | f(x, 2)
nn.functional.adaptive_avg_pool2d 1×2×2 f(x, (None, None)) | f(x, 1)
nn.functional.avg_pool1d 1×4 f(x, 1)
nn.functional.avg_pool2d 1×2×2 f(x, 1)
nn.functional.max_pool2d 1×2×2 f(x, 1)
nn.functional.pixel_shuffle 1×4×2×2 f(x, 1) | f(x, 2)
nn.functional.pixel_unshuffle 1×1×2×2 f(x, 1) | f(x, 2)
nn.functional.relu 2×3 f(x)
nn.functional.normalize 2×3 f(x)
nn.functional.embedding 4×3 f(torch.tensor([0, 1]), x)
nn.functional.unfold 1×1×2×2 f(x, 1)
nn.functional.linear 2×3 f(x, torch.eye(3))
nn.functional.batch_norm 2×3 f(x, None, None, training=True) | f(x, y[0], y[1].abs())
fft.fftshift 2×3 f(x) | f(x, ())
fft.ifftshift 2×3 f(x)
tensor_split 4 f(x, (1, 3))
swapdims 2×3 f(x, 0, 1)
index_put 2×3 f(x, (torch.tensor([0]),), y[0])
requires_grad_ 2×3 f(x) | f(x, False)
detach_ 2×3 f(x)
rename 2×3 f(x, None) | f(x, "a", "b")
refine_names 2×3 f(x, "a", "b")
align_to 2×3 f(x.rename("a", "b"), "b", "a")
align_as 2×3 f(x.rename("a", "b"), y.rename("a", "b"))
squeeze_copy 2×1×3 f(x)
view_copy 2×3 f(x, (6,))
expand_copy 3 f(x, (2, 3))
permute_copy 2×3 f(x, (1, 0))
unsqueeze_copy 2×3 f(x, 0)
transpose_copy 2×3 f(x, 0, 1)
t_copy 2×3 f(x)
as_strided_copy 2×3 f(x, (3, 2), (1, 3))
diagonal_copy 3×3 f(x)
unbind_copy 2×3 f(x)
unfold_copy 4 f(x, 0, 2, 1)
split_with_sizes_copy 4 f(x, [1, 3])
"""
NAMES = {"torch": torch, "nn": torch.nn, "Tensor": Tensor}
NAMES |= {"float32": torch.float32, "float64": torch.float64}


@functools.cache
def by_hand() -> dict[str, list[tuple[str, str]]]:
    """Return for each operation the shapes and expressions written above."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in filter(None, (BY_HAND + FITTING).splitlines()):
        name, shape, calls = line.split(" ", 2)
        found.setdefault(name, []).extend((shape, call.strip()) for call in calls.split(" | "))
    return found


def numbered(shape: str) -> Tensor:
    """Return a float32 tensor 0, 1, 2, … of a shape such as `2×3`."""
    sizes = [int(size) for size in shape.split("×")]
    return torch.arange(torch.Size(sizes).numel(), dtype=torch.float32).reshape(sizes)


def from_hand(name: str, forms: dict[str, Callable]) -> Iterator[Sample]:
    """Yield the samples by hand, the first one of the tensor alone."""
    function = next(iter(forms.values()))
    if not callable(function):  # an attribute: x.data

        def function(x: Tensor, attribute: str = name) -> object:
            return getattr(x, attribute)

    for shape, expression in dict.fromkeys([("2×3", "f(x)"), *by_hand().get(name, ())]):
        code = compile(expression, f"<{name}>", "eval")

        def run(leaves: list, code=code, _function=None, **options: object) -> object:
            def called(*args: object, **named: object) -> object:
                # A tensor that the expression makes of x is an input as well.
                given = [t for t in tree_leaves((args, named)) if isinstance(t, Tensor)]
                leaves.extend(t for t in given if all(t is not leaf for leaf in leaves))
                return (_function or function)(*args, **named, **options)

            return eval(code, NAMES | {"f": called, "x": leaves[0], "y": leaves[1]})

        x = numbered(shape)
        yield Sample(name + expression[1:], [x, x * 2 + 1], 1, run)

