"""Which check of csrc/runtime guards which kernel: a kernel without one is not for plan files.

A check computes from the parameters how far a call reaches behind each pointer. `tables` also
looks at constant tables that say where to read, or that scale; such constants stay in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from nacre.ops import TABLE
from nacre.ops.kind import Kernel, Variant


@dataclass(frozen=True)
class Rule:
    """The check of some kernels, its file, and what tells these kernels apart there."""

    kernels: str
    check: str
    file: str
    tables: str = ""
    # Positions among the pointers of those whose content is looked at.
    content: tuple[int, ...] = ()
    variant: int = 0
    # Operands may overlap: row-wise kernels always may.
    may_overlap: bool = False
    # Further files that the check needs.
    shared: tuple[str, ...] = ()


_CONV = ("check_conv",)
_EACH = ("check_each",)
_BROADCAST = ("check_broadcast",)

RULES = (
    Rule("conv2d_s8 conv2d_u8", "conv2d_8", "check_conv2d", "conv_tables", (3,), shared=_CONV),
    Rule("conv2d_s16", "conv2d_16", "check_conv2d", "conv_tables_wide", (2, 3), shared=_CONV),
    Rule("conv2d_bias32_s16", "conv2d_16", "check_conv2d", "conv_tables", (3,), shared=_CONV),
    Rule("conv2d_f32", "conv2d_f32", "check_conv2d", shared=_CONV),
    Rule("conv2d_hybrid_f32", "conv2d_hybrid", "check_conv2d", "conv2d_hybrid_tables", (3,),
         shared=_CONV),
    Rule("depthwise_s8 depthwise_u8", "depthwise", "check_depthwise", "conv_tables", (3,), 32,
         shared=_CONV),
    Rule("depthwise_s16", "depthwise", "check_depthwise", "conv_tables_wide", (2, 3), 16,
         shared=_CONV),
    Rule("depthwise_f32", "depthwise_f32", "check_depthwise", variant=16, shared=_CONV),
    Rule("depthwise_hybrid_f32", "depthwise_hybrid", "check_depthwise", variant=32, shared=_CONV),
    Rule("transpose_conv_s8 transpose_conv_u8 transpose_conv_bias32_s16", "transpose_conv",
         "check_transpose_conv", "conv_tables", (3,), shared=_CONV),
    Rule("transpose_conv_s16", "transpose_conv", "check_transpose_conv", "conv_tables_wide", (2, 3),
         shared=_CONV),
    Rule("transpose_conv_f32", "transpose_conv_f32", "check_transpose_conv", shared=_CONV),
    Rule("transpose_conv_hybrid_f32", "transpose_conv_hybrid", "check_transpose_conv",
         shared=_CONV),
    Rule("fully_connected_s8 fully_connected_narrow_s16", "fully_connected",
         "check_fully_connected", "fully_connected_tables", (3,)),
    Rule("fully_connected_s16", "fully_connected", "check_fully_connected",
         "fully_connected_tables_wide", (2, 3)),
    Rule("fully_connected_real_s8 fully_connected_real_u8 fully_connected_real_s16",
         "fully_connected", "check_fully_connected", variant=1),
    Rule("fully_connected_f32", "fully_connected_f32", "check_fully_connected"),
    Rule("fully_connected_hybrid_f32", "fully_connected_hybrid", "check_fully_connected"),
    Rule("batch_matmul_f32", "batch_matmul", "check_batch_matmul"),
    Rule("batch_matmul_s8", "batch_matmul", "check_batch_matmul", variant=1),
    Rule("batch_matmul_s16", "batch_matmul", "check_batch_matmul", variant=2),
    Rule("average_pool2d_f32 average_pool2d_s16 average_pool2d_s8 average_pool2d_u8 l2_pool2d_f32 "
         "max_pool2d_f32 max_pool2d_s16 max_pool2d_s8 max_pool2d_u8", "pool", "check_pool"),
    Rule("average_pool2d_s8_mve max_pool2d_s8_mve", "pool", "check_pool"),
    Rule("average_pool2d_s8_dsp max_pool2d_s8_dsp", "pool_dsp", "check_pool"),
    Rule("conv2d_1x1_s8_mve", "conv2d_1x1_mve", "check_conv_mve"),
    Rule("conv2d_short_s8_mve", "conv2d_mve", "check_conv_mve", variant=1),
    Rule("conv2d_s8_mve", "conv2d_mve", "check_conv_mve"),
    Rule("conv2d_3x3_c16_s8_mve", "conv2d_3x3_mve", "check_conv_mve", variant=16),
    Rule("conv2d_3x3_c32_s8_mve", "conv2d_3x3_mve", "check_conv_mve", variant=32),
    Rule("conv2d_3x3_c64_s8_mve", "conv2d_3x3_mve", "check_conv_mve", variant=64),
    Rule("depthwise_3x3_s8_mve", "depthwise_mve", "check_depthwise_mve", variant=1),
    Rule("depthwise_3x3_stride2_s8_mve", "depthwise_mve", "check_depthwise_mve", variant=2),
    Rule("fully_connected_s8_mve", "fully_connected_mve", "check_fully_connected_mve"),
    Rule("conv2d_f32_mve", "conv2d_f32_mve", "check_f32_mve", shared=_CONV),
    Rule("depthwise_f32_mve", "depthwise_f32_mve", "check_f32_mve", shared=_CONV),
    Rule("fully_connected_f32_mve", "fully_connected_f32_mve", "check_f32_mve", shared=_CONV),
    Rule("add_f32_mve sub_f32_mve mul_f32_mve", "same_shape", "check_f32_mve", shared=_CONV),
    Rule("conv2d_s8_dsp", "conv2d_dsp", "check_dsp", variant=1, shared=_CONV),
    Rule("conv2d_wide_s8_dsp", "conv2d_dsp", "check_dsp", variant=2, shared=_CONV),
    Rule("depthwise_s8_dsp", "depthwise_dsp", "check_dsp", variant=1, shared=_CONV),
    Rule("depthwise_wide_s8_dsp", "depthwise_dsp", "check_dsp", variant=2, shared=_CONV),
    Rule("depthwise_3x3_s8_dsp", "depthwise_dsp", "check_dsp", variant=5, shared=_CONV),
    Rule("depthwise_3x3_wide_s8_dsp", "depthwise_dsp", "check_dsp", variant=6, shared=_CONV),
    Rule("fully_connected_s8_dsp", "fully_connected_dsp", "check_dsp", variant=1, shared=_CONV),
    Rule("fully_connected_wide_s8_dsp", "fully_connected_dsp", "check_dsp", variant=2,
         shared=_CONV),
    Rule("abs_f32 abs_s32 cast_f16_f32 cast_f32_bool cast_f32_s16 cast_f32_s32 cast_f32_s64 "
         "cast_f32_s8 cast_f32_u32 cast_f32_u8 cast_s16_bool cast_s16_f32 cast_s16_s32 "
         "cast_s16_s64 cast_s16_s8 cast_s32_bool cast_s32_f32 cast_s32_s16 cast_s32_s64 "
         "cast_s32_s8 cast_s64_bool cast_s64_f32 cast_s64_s16 cast_s64_s32 cast_s64_s8 "
         "cast_s8_bool cast_s8_f32 cast_s8_s16 cast_s8_s32 cast_s8_s64 cast_u32_f32 cast_u32_s64 "
         "cast_u8_f32 cast_u8_s16 cast_u8_s32 cast_u8_s64 ceil_f32 cos_f32 elu_f32 erf_f32 exp_f32 "
         "floor_f32 gelu_f32 gelu_tanh_f32 hard_swish_f32 log_f32 logical_not_bool logistic_f32 "
         "neg_f32 neg_s32 neg_s64 round_f32 rsqrt_f32 sign_f32 sign_s32 sin_f32 sqrt_f32 "
         "square_f32 abs_s64 tanh_f32 tan_f32 asin_f32 acos_f32 atan_f32 sinh_f32 cosh_f32 "
         "asinh_f32 acosh_f32 atanh_f32 leaky_relu_f32 relu_f32 clamp_s8 clamp_u8 clamp_s16",
         "each",
         "check_each"),
    Rule("abs_s16 requantize_s16_s16 requantize_s16_s32 requantize_s16_s8 requantize_s32_s16 "
         "requantize_s32_s8 requantize_s8_s16 requantize_s8_s32 requantize_s8_s8 requantize_s8_u8 "
         "requantize_u8_s16 requantize_u8_s8 requantize_u8_u8", "each_requantize", "check_each"),
    Rule("quantize_f32_s16 quantize_f32_s8 quantize_f32_u8", "each_quantize", "check_each"),
    Rule("dequantize_s16_f32 dequantize_s8_f32 dequantize_u8_f32", "each_dequantize",
         "check_each"),
    Rule("leaky_relu_s16", "each_leaky_relu", "check_each"),
    Rule("accumulate_s8", "each_accumulate", "check_each"),
    Rule("table_8", "each_table_8", "check_each"),
    Rule("logistic_s16 tanh_s16", "each_sigmoid", "check_each"),
    Rule("softmax_s8 softmax_s8_s16 softmax_u8", "softmax", "check_vectors", "softmax_tables",
         (2,), shared=_EACH),
    Rule("softmax_s16", "softmax_s16", "check_vectors", "softmax_s16_tables", (2, 3),
         shared=_EACH),
    Rule("softmax_f32", "softmax_f32", "check_vectors", shared=_EACH),
    Rule("log_softmax_s8", "log_softmax_s8", "check_vectors", "softmax_tables", (2,),
         shared=_EACH),
    Rule("l2_normalization_s8 l2_normalization_u8", "l2_normalization", "check_vectors",
         shared=_EACH),
    Rule("l2_normalization_f32 log_softmax_f32", "vectors", "check_vectors", shared=_EACH),
    Rule("add_s64 floor_div_f32 floor_div_s16 floor_div_s32 floor_div_s8 floor_mod_f32 "
         "floor_mod_s16 floor_mod_s32 floor_mod_s64 floor_mod_s8 logical_and_bool logical_or_bool "
         "maximum_f32 maximum_s16 maximum_s32 maximum_s64 maximum_s8 maximum_u8 minimum_f32 "
         "minimum_s16 minimum_s32 minimum_s64 minimum_s8 minimum_u8 mul_s64 pow_f32 pow_s32 "
         "prelu_f32 squared_difference_f32 squared_difference_s32 sub_s64 compare_f32 compare_s16 "
         "compare_s32 compare_s64 compare_s8 compare_u8 add_f32 div_f32 mul_f32 sub_f32 add_s32 "
         "div_s32 mul_s32 sub_s32 div_s64", "broadcast", "check_broadcast"),
    Rule("add_s8_mve add_s8_dsp", "broadcast_add", "check_arithmetic", shared=_BROADCAST),
    Rule("mul_s8_dsp", "broadcast_mul", "check_arithmetic", shared=_BROADCAST),
    Rule("add_s8 add_s16", "broadcast_add", "check_arithmetic", shared=_BROADCAST),
    Rule("add_general_s8 add_general_u8 add_general_s16", "broadcast_add_general",
         "check_arithmetic", shared=_BROADCAST),
    Rule("add_pot_s16", "broadcast_add_pot", "check_arithmetic", shared=_BROADCAST),
    Rule("mul_s8 mul_u8 mul_s16 div_s8 div_u8 div_s16", "broadcast_mul", "check_arithmetic",
         shared=_BROADCAST),
    Rule("compare_scaled_s8 compare_scaled_u8 compare_scaled_s16", "broadcast_compare",
         "check_arithmetic", shared=_BROADCAST),
    Rule("prelu_s8 prelu_u8", "broadcast_prelu", "check_arithmetic", shared=_BROADCAST),
    Rule("squared_difference_s8 squared_difference_s16", "broadcast_squared_difference",
         "check_arithmetic", shared=_BROADCAST),
    Rule("select_8 select_16 select_32 select_64", "select", "check_select"),
    Rule("copy", "copy", "check_move", may_overlap=True),
    Rule("move", "move", "check_move", may_overlap=True),
    Rule("move_1", "move", "check_move", variant=1, may_overlap=True),
    Rule("move_2", "move", "check_move", variant=2, may_overlap=True),
    Rule("move_4", "move", "check_move", variant=4, may_overlap=True),
    Rule("move_8", "move", "check_move", variant=8, may_overlap=True),
    Rule("move_rows", "move_rows", "check_move_rows"),
    Rule("lookup_rows", "lookup_rows", "check_move_rows"),
    Rule("fill", "fill", "check_fill"),
    Rule("pad", "pad", "check_fill"),
    Rule("gather", "gather", "check_gather"),
    Rule("gather_nd", "gather_nd", "check_gather"),
    Rule("embedding_s8", "embedding", "check_gather"),
    Rule("gather_elements", "gather_elements", "check_elements"),
    Rule("scatter_elements", "scatter_elements", "check_elements", variant=1, may_overlap=True),
    Rule("scatter_elements_f32", "scatter_elements", "check_elements", variant=4,
         may_overlap=True),
    Rule("top_k_f32", "top_k", "check_elements"),
    Rule("lstm_sequence_f32", "sequence", "check_sequence", variant=4),
    Rule("gru_sequence_f32", "sequence", "check_sequence", variant=3),
    Rule("rnn_sequence_f32", "sequence", "check_sequence", variant=1),
    Rule("one_hot", "one_hot", "check_gather"),
    Rule("reverse_sequence", "reverse_sequence", "check_gather"),
    Rule("update_slice", "update_slice", "check_gather", may_overlap=True),
    Rule("space_to_batch", "space_to_batch", "check_space"),
    Rule("batch_to_space", "batch_to_space", "check_space"),
    Rule("space_to_depth", "space_to_depth", "check_space"),
    Rule("depth_to_space", "depth_to_space", "check_space"),
    Rule("resize_nearest", "resize_nearest", "check_resize", "resize_nearest_tables", (1,)),
    Rule("resize_bilinear_s8 resize_bilinear_s16", "resize_bilinear", "check_resize",
         "resize_bilinear_tables", (1,), 3),
    Rule("resize_bilinear_u8 resize_bilinear_f32", "resize_bilinear", "check_resize",
         "resize_bilinear_tables", (1,), 2),
    Rule("reduce_all_bool reduce_any_bool reduce_max_f32 reduce_max_s16 reduce_max_s32 "
         "reduce_max_s8 reduce_max_u8 reduce_min_f32 reduce_min_s16 reduce_min_s32 reduce_min_s8 "
         "reduce_min_u8 reduce_prod_f32 reduce_prod_s32 "
         "reduce_sum_f32 reduce_sum_s16 reduce_sum_s32 reduce_sum_s64 reduce_sum_s8 reduce_sum_u8 "
         "reduce_max_s64 reduce_min_s64", "reduce",
         "check_reduce"),
    Rule("reduce_prod_s8 reduce_prod_s16", "reduce", "check_reduce", variant=1),
    Rule("cumsum_f32 cumsum_s32 cumsum_s64", "cumsum", "check_reduce", may_overlap=True),
    Rule("cumsum_s8", "cumsum_s8", "check_reduce", may_overlap=True),
    Rule("arg_max_f32 arg_max_s16 arg_max_s32 arg_max_s8 arg_max_u8 arg_min_f32 arg_min_s16 "
         "arg_min_s32 arg_min_s8 arg_min_u8", "arg", "check_reduce"),
    Rule("lrn_f32", "lrn", "check_reduce"),
    Rule("hybrid_quantize_f32", "hybrid_quantize", "check_recurrent"),
    Rule("lstm_s8", "lstm", "check_recurrent"),
    Rule("lstm_s16", "lstm", "check_recurrent", "lstm_tables_wide", (3, 4), variant=1),
    Rule("lstm_series_s8", "lstm_series", "check_recurrent"),
    Rule("lstm_f32", "lstm_f32", "check_recurrent"),
    Rule("svdf_s8 svdf_s8_s16", "svdf", "check_recurrent"),
    Rule("svdf_f32", "svdf_f32", "check_recurrent"),
    Rule("signal_window_s16", "signal_window", "check_signal", may_overlap=True),
    Rule("signal_auto_scale_s16", "signal_auto_scale", "check_signal", may_overlap=True),
    Rule("signal_rfft_s16 signal_rfft_s32", "signal_rfft", "check_signal"),
    Rule("signal_energy_s16", "signal_energy", "check_signal"),
    Rule("signal_filter_bank_u32", "signal_filter_bank", "check_signal",
         "signal_filter_bank_tables", (3, 4, 5)),
    Rule("signal_square_root_u64", "signal_square_root", "check_signal"),
    Rule("signal_subtraction_u32", "signal_subtraction", "check_signal", may_overlap=True),
    Rule("signal_pcan_u32", "signal_pcan", "check_signal", may_overlap=True),
    Rule("signal_log_u32", "signal_log", "check_signal"),
    Rule("rfft_f32", "rfft", "check_fft", variant=1),
    Rule("rdft_f32", "rfft", "check_fft"),
    Rule("fft_columns_f32", "fft_columns", "check_fft", variant=1),
    Rule("dft_columns_f32", "fft_columns", "check_fft"),
    Rule("complex_abs_f32 complex_real_f32 complex_imag_f32", "complex", "check_fft"),
    Rule("detection_fast", "detection", "check_detection"),
    Rule("detection_regular", "detection", "check_detection", variant=1),
)  # fmt: skip


@cache
def rules() -> dict[str, Rule]:
    """Kernel symbol -> its rule."""
    return {f"nacre_{name}": rule for rule in RULES for name in rule.kernels.split()}


@cache
def known_kernels() -> dict[str, Kernel]:
    """All kernels by their symbol."""
    return {k.name: k for kind in TABLE for k in kind.all_kernels}


def has_checks(variant: Variant) -> bool:
    """Plan files may call all kernels of a variant."""
    return all(k.name in rules() for k in variant.kernels)


def check_files(kernels: tuple[Kernel, ...]) -> tuple[str, ...]:
    """Stems of the files of csrc/runtime that check these kernels."""
    found = [rules()[k.name] for k in kernels]
    return tuple(sorted({f for rule in found for f in (rule.file, *rule.shared)}))
