"""What torch's stubs and operator database do not tell, written by hand.

Rows here win over what was measured or read. Specifications are explained in
``torchdb/db.py``; results that depend on the arguments in ways no specification says are
functions in ``program/transfer_torch.py``.
"""

from __future__ import annotations


def _rows(prefix: str, table: dict[str, str]) -> dict[str, str]:
    """'spec': 'name name name' -> prefix.name: spec."""
    return {prefix + name: spec for spec, names in table.items() for name in names.split()}


TENSOR_METHODS = _rows(
    "torch.Tensor.",
    {
        "Pt": "item",
        "Bt": "equal allclose is_nonzero is_set_to __bool__ __contains__",
        "It": "__int__ __index__",
        "Ft": "__float__",
        "[?*]": "tolist",
        "Is": "numel nelement dim ndimension storage_offset element_size __len__ dense_dim sparse_dim",
        "I": "get_device data_ptr q_zero_point __hash__",
        "B": "is_contiguous is_floating_point is_complex is_pinned is_shared is_same_size is_signed is_conj"
        " is_neg is_inference is_coalesced is_distributed has_names is_quantized",
        "F": "q_scale",
        "A": "numpy __array__",
        "N": "backward retain_grad __setitem__ rename_names",
        "S": "__repr__ __format__ __str__",
        "!handle": "register_hook register_post_accumulate_grad_hook",
        "?": "storage untyped_storage map_ qscheme to_mkldnn __torch_function__",
        "T:f:=": "float double half bfloat16",
        "T:i:=": "int long short char byte",
        "T:b:=": "bool",
        "T:=:=": "relu cpu cuda xpu mps contiguous clone detach requires_grad_ pin_memory share_memory_ zero_"
        " fill_ copy_ expand_as alias flip fliplr flipud roll triu tril cummax_ index_fill"
        " masked_fill masked_scatter index_add index_copy scatter scatter_add scatter_reduce sort_"
        " conj resolve_conj resolve_neg swapaxes swapdims transpose adjoint moveaxis movedim ",
        "T:=": "reshape_as view_as reshape unfold as_strided squeeze unsqueeze diagonal diag narrow_copy"
        " to_dense coalesce values indices_copy flatten unflatten ravel repeat tile expand"
        " resize_as_ index_select gather take take_along_dim masked_select permute ",
        "T:b:r": "any all",
        "T:c:=": "cfloat cdouble chalf",
        "T": "new to_sparse to_sparse_csr to_sparse_coo indices crow_indices col_indices",
        "(T:=*)": "split split_with_sizes chunk unbind tensor_split hsplit vsplit dsplit unsafe_chunk"
        " unsafe_split",
        "(T:=:-*)": "unbind",
    },
)

FUNCTIONS = _rows(
    "torch.",
    {
        "Bt": "equal allclose is_nonzero",
        "Is": "numel",
        "B": "is_floating_point is_complex is_grad_enabled is_inference_mode_enabled is_storage is_conj"
        " is_neg is_signed is_autocast_enabled is_autocast_cpu_enabled is_autocast_cache_enabled"
        " can_cast is_inference is_same_size is_warn_always_enabled"
        " are_deterministic_algorithms_enabled is_distributed"
        " is_deterministic_algorithms_warn_only_enabled cuda.is_available cuda.is_initialized"
        " cuda.is_bf16_supported cuda.is_current_stream_capturing mps.is_available xpu.is_available"
        " backends.mps.is_available backends.mps.is_built backends.cudnn.is_available"
        " backends.mkldnn.is_available distributed.is_available distributed.is_initialized"
        " distributed.is_torchelastic_launched overrides.is_tensor_method_or_property"
        " accelerator.is_available cpu.is_available fx._symbolic_trace.is_fx_tracing"
        " backends.cuda.flash_sdp_enabled backends.cuda.math_sdp_enabled"
        " backends.cuda.mem_efficient_sdp_enabled autograd.forward_ad.is_dual",
        "I": "cuda.device_count cuda.current_device cuda.memory_allocated cuda.max_memory_allocated"
        " cuda.memory_reserved get_num_threads get_num_interop_threads seed initial_seed"
        " distributed.get_rank distributed.get_world_size distributed.get_node_local_rank"
        " cuda.initial_seed accelerator.device_count",
        "(I,I)": "cuda.get_device_capability",
        "S": "cuda.get_device_name typename get_float32_matmul_precision distributed.get_backend ",
        "Y": "get_default_dtype promote_types result_type get_autocast_dtype get_autocast_gpu_dtype"
        " get_autocast_cpu_dtype",
        "V": "device get_default_device",
        "Z": "Size broadcast_shapes",
        "!torch.finfo": "finfo",
        "!torch.iinfo": "iinfo",
        "<torch.Generator>": "Generator manual_seed default_generator",
        "<torch.cuda.Stream>": "cuda.Stream cuda.current_stream cuda.default_stream",
        "<torch.cuda.Event>": "cuda.Event",
        "N": "save set_default_dtype set_default_device set_num_threads"
        " use_deterministic_algorithms set_printoptions cuda.synchronize cuda.empty_cache cuda.set_device"
        " cuda.manual_seed cuda.manual_seed_all set_float32_matmul_precision _check _check_is_size"
        " _check_value _check_index _check_type _check_tensor_all _assert _assert_async _assert_scalar"
        " autograd.backward _dynamo.graph_break _dynamo.mark_dynamic _dynamo.mark_static"
        " _dynamo.mark_static_address distributed.barrier distributed.init_process_group set_rng_state"
        " cuda.set_rng_state cuda.nvtx.range_push cuda.nvtx.range_pop _dynamo.reset compiler.reset"
        " nn.utils.parameters.vector_to_parameters nn.utils.vector_to_parameters",
        "T:b": "isin isclose isreal",
        "T:b:r": "any all",
        "T:i": "get_rng_state cuda.get_rng_state randperm tril_indices triu_indices",
        "T": "from_numpy from_dlpack frombuffer as_strided asarray"
        " nested.nested_tensor nested.as_nested_tensor nested.to_padded_tensor sparse_coo_tensor"
        " sparse_csr_tensor nn.utils.clip_grad_norm_ nn.utils.clip_grad.clip_grad_norm_"
        " nn.utils.parameters_to_vector utils.dlpack.from_dlpack quantize_per_tensor quantize_per_channel"
        " dequantize einsum cdist nn.functional.grid_sample"
        " nn.functional.affine_grid",
        "T:f": "hann_window hamming_window blackman_window bartlett_window kaiser_window cdist",
        "T:i:1": "ops.torchvision.nms",
        "!work|N": "distributed.all_reduce distributed.broadcast distributed.all_gather distributed.reduce"
        " distributed.all_to_all distributed.all_to_all_single distributed.reduce_scatter distributed.send"
        " distributed.recv distributed.scatter distributed.gather distributed.all_gather_into_tensor"
        " distributed.reduce_scatter_tensor",
        "T:f:4": "ops.torchvision.roi_align ops.torchvision.roi_pool ops.torchvision.deform_conv2d",
        "T:f:0": "nn.utils.get_total_norm",
        "T:f:+": "nn.functional.embedding",
        "T:=:=": "relu celu selu dropout nn.functional.local_response_norm nn.functional.lp_pool2d fliplr"
        " flipud flip roll triu tril swapaxes swapdims transpose adjoint moveaxis movedim clone"
        " detach resolve_conj resolve_neg index_fill masked_fill index_add index_copy scatter"
        " scatter_add scatter_reduce bernoulli fft.fftshift fft.ifftshift nn.functional.dropout"
        " nn.functional.dropout1d nn.functional.dropout2d nn.functional.dropout3d"
        " nn.functional.alpha_dropout nn.functional.feature_alpha_dropout nn.functional.pad"
        " nn.functional.interpolate nn.functional.upsample",
        "T:=": "reshape squeeze unsqueeze diagonal diag flatten unflatten ravel tile index_select gather take"
        " take_along_dim masked_select permute narrow select constant_pad_nd rot90"
        " nn.functional.unfold nn.functional.fold diag_embed nn.functional.pixel_shuffle",
        "(T:=*)": "split split_with_sizes chunk tensor_split hsplit vsplit dsplit unsafe_chunk unsafe_split"
        " nn.utils.rnn.unpad_sequence unsafe_split_with_sizes",
        "(T:=:-*)": "unbind",
        "(T*)": "distributed.nn.all_gather distributed.nn.functional.all_gather broadcast_tensors"
        " meshgrid autograd.grad nn.parallel.comm.broadcast",
        "T:f:=": "nn.functional.gumbel_softmax nn.functional.layer_norm nn.functional.rms_norm"
        " nn.functional.group_norm nn.functional.batch_norm nn.functional.instance_norm"
        " nn.functional.scaled_dot_product_attention nn.attention.flex_attention.flex_attention"
        " distributed.nn.all_reduce distributed.nn.functional.all_reduce",
        "T:=:": "nn.utils.rnn.pad_sequence block_diag prod combinations",
        "<torch.nn.utils.rnn.PackedSequence>": "nn.utils.rnn.pack_padded_sequence nn.utils.rnn.pack_sequence"
        " nn.utils.rnn.PackedSequence",
        "(T,T:i)": "nn.utils.rnn.pad_packed_sequence",
        "(T:f,T:f|N)": "nn.functional.multi_head_attention_forward",
        "!handle": "nn.modules.module.register_module_forward_hook",
        "!future": "futures.Future jit.fork futures.collect_all",
        "<module torch.jit.ScriptModule>": "jit.load jit.trace",
    },
)

# Context managers and other classes whose instances are no tensors and no layers.
_INSTANCES = (
    "torch.no_grad torch.enable_grad torch.inference_mode torch.set_grad_enabled torch.autocast"
    " torch.amp.autocast torch.cuda.amp.autocast torch.cpu.amp.autocast torch.amp.autocast_mode.autocast"
    " torch.cuda.device torch.cuda.stream torch.cuda.StreamContext torch.cuda.device_of"
    " torch.random.fork_rng torch.autograd.set_detect_anomaly torch.autograd.detect_anomaly"
    " torch.autograd.profiler.record_function torch.profiler.record_function torch.profiler.profile"
    " torch.autograd.profiler.profile torch.autograd.graph.save_on_cpu"
    " torch.autograd.graph.saved_tensors_hooks torch.amp.GradScaler torch.cuda.amp.GradScaler"
    " torch.nn.attention.sdpa_kernel torch.backends.cuda.sdp_kernel"
    " torch.overrides.DisableTorchFunctionSubclass torch._C.DisableTorchFunctionSubclass"
    " torch.cuda.nvtx.range torch.autograd.grad_mode.no_grad torch.utils.data.DataLoader"
    " torch.utils.tensorboard.SummaryWriter torch.compiler.set_stance torch.fx.Tracer"
    " torch.utils.flop_counter.FlopCounterMode"
)
INSTANCES = tuple(_INSTANCES.split())

TENSOR_ATTRIBUTES = {
    name: spec
    for spec, names in {
        "Z": "shape",
        "Is": "ndim itemsize nbytes",
        "Y": "dtype",
        "V": "device",
        "L": "layout",
        "B": "is_cuda is_cpu is_leaf is_meta is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse"
        " is_sparse_csr is_vulkan is_xla is_xpu is_maia is_ipu requires_grad retains_grad",
        "T:=:=": "data H mT mH conj",
        "T:=": "T",
        "T:-=:=": "real imag",
        "T:=:=|N": "grad _grad",
        "!autograd function|N": "grad_fn",
        "I": "output_nr _version",
        "S|N": "name",
        "?": "names __dict__ __class__ _base",
    }.items()
    for name in names.split()
}

# Constants and plain data reachable by a dotted name.
CONSTANTS = {
    "torch": {
        "Y": "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 half float double bfloat16 float16"
        " float32 float64 short int long cfloat cdouble chalf complex32 complex64 complex128"
        " float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz qint8 quint8 qint32"
        " float8_e8m0fnu",
        "F": "pi e inf nan",
        "N": "newaxis",
        "L": "strided sparse_coo sparse_csr sparse_csc sparse_bsr jagged",
        "!torch.memory_format": "contiguous_format channels_last channels_last_3d preserve_format",
        "S": "__version__",
    },
    "torch.version": {"S": "__version__ git_version", "S|N": "cuda hip"},
    "torch.backends.cudnn": {"B": "enabled benchmark deterministic allow_tf32"},
    "torch.backends.cuda.matmul": {"B": "allow_tf32"},
    "math": {"F": "pi e inf nan tau"},
    "numpy": {"F": "pi e inf nan euler_gamma Inf NaN PINF", "N": "newaxis", "S": "__version__"},
    "sys": {
        "(I,I,I,S,I)": "version_info",
        "S": "version platform executable byteorder",
        "I": "maxsize",
        "[S*]": "argv path",
        "!stream": "stdout stderr stdin",
    },
    "os": {"S": "name sep linesep", "!os.environ": "environ"},
    "string": {"S": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace"},
    "logging": {"I": "DEBUG INFO WARNING WARN ERROR CRITICAL FATAL NOTSET"},
    "typing": {"B": "TYPE_CHECKING"},
    "builtins": {"B": "__debug__"},
}

# Layers the operator database does not run, or cannot tell in full.
# How to make layers that the operator database does not make, to read their attributes.
LAYER_ARGUMENTS = ("", "0.5", "2", "4, 4", "4, 2", "2, 2, 1", "(2,)", "1, 4", "2, 4, 4", "4, 4, 4")

LAYERS = {
    "torch.nn.LSTM": "(T:f,(T:f,T:f))",
    "torch.nn.GRU": "(T:f,T:f)",
    "torch.nn.RNN": "(T:f,T:f)",
    "torch.nn.LSTMCell": "(T:f:=,T:f:=)",
    "torch.nn.GRUCell": "T:f:=",
    "torch.nn.RNNCell": "T:f:=",
    "torch.nn.MultiheadAttention": "(T:f:=,T:f|N)",
    "torch.nn.Identity": "?",
    "torch.nn.AdaptiveLogSoftmaxWithLoss": "(T:f:1,T:f:0)",
    "torch.nn.MaxPool1d": "T:=:=|(T:=:=,T:i)",
    "torch.nn.MaxPool2d": "T:=:=|(T:=:=,T:i)",
    "torch.nn.MaxPool3d": "T:=:=|(T:=:=,T:i)",
    "torch.nn.AdaptiveMaxPool1d": "T:=:=|(T:=:=,T:i)",
    "torch.nn.AdaptiveMaxPool2d": "T:=:=|(T:=:=,T:i)",
    "torch.nn.AdaptiveMaxPool3d": "T:=:=|(T:=:=,T:i)",
    "torch.nn.FractionalMaxPool2d": "T:=:=|(T:=:=,T:i)",
    "torch.nn.FractionalMaxPool3d": "T:=:=|(T:=:=,T:i)",
    "torch.nn.Embedding": "T:f:+",
    "torch.nn.EmbeddingBag": "T:f:2",
    "torch.nn.Linear": "T:f:=",
    "torch.nn.Bilinear": "T:f:=",
    "torch.nn.Flatten": "T:=",
    "torch.nn.Unflatten": "T:=",
    "torch.nn.Unfold": "T:=:3",
    "torch.nn.Fold": "T:=",
    "torch.nn.PixelShuffle": "T:=:=",
    "torch.nn.PixelUnshuffle": "T:=:=",
    "torch.nn.ChannelShuffle": "T:=:=",
    "torch.nn.Upsample": "T:=:=",
    "torch.nn.UpsamplingNearest2d": "T:=:=",
    "torch.nn.UpsamplingBilinear2d": "T:=:=",
    "torch.nn.SyncBatchNorm": "T:f:=",
    "torch.nn.Sequential": "?",
    "torch.nn.ModuleList": "?",
    "torch.nn.ModuleDict": "?",
    "torch.nn.ParameterList": "?",
    "torch.nn.ParameterDict": "?",
    "torch.nn.Module": "?",
    "torch.nn.DataParallel": "?",
    "torch.nn.parallel.DistributedDataParallel": "?",
    "torch.nn.Transformer": "T:f:=",
    "torch.nn.TransformerEncoder": "T:f:=",
    "torch.nn.TransformerDecoder": "T:f:=",
    "torch.nn.TransformerEncoderLayer": "T:f:=",
    "torch.nn.TransformerDecoderLayer": "T:f:=",
    "torch.nn.utils.parametrize.ParametrizationList": "T",
    **dict.fromkeys(
        ("torch.nn.Dropout", "torch.nn.Dropout1d", "torch.nn.Dropout2d", "torch.nn.Dropout3d"), "T:=:="
    ),
    **dict.fromkeys(("torch.nn.AlphaDropout", "torch.nn.FeatureAlphaDropout"), "T:=:="),
}

# Classes of numpy that are called like functions, and that Dynamo does not know (compiled one by one).
NUMPY_CALLED = ("matrix", "vectorize")
