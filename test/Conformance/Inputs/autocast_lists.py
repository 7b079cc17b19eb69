"""The autocast lists of PyTorch, Apex and TensorFlow, as published, by their names.

PyTorch: aten/src/ATen/autocast_mode.h (the macros AT_FORALL_*) and the CPU block of autocast_mode.cpp.
Apex O1: apex/amp/lists/{torch,tensor,functional}_overrides.py.
TensorFlow: tensorflow/core/grappler/optimizers/auto_mixed_precision_lists.h, the lists of CUDA and of oneDNN bf16.
Overloads stand under their base name; versions of one op that differ in a suffix stand under the newest.
"""


def words(text):
    return set(text.split())


POINTWISE_LOSSES = words("""poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div
    l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss
    triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits""")

TORCH_CUDA = {
    "lower_precision_fp": words("""_convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
        conv_transpose3d convolution prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm bmm
        chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell gru_cell rnn_tanh_cell
        rnn_relu_cell _scaled_dot_product_flash_attention scaled_dot_product_attention cudnn_convolution
        cudnn_convolution_transpose"""),
    "fp32": POINTWISE_LOSSES | words("""acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan
        pow softplus layer_norm native_layer_norm rms_norm group_norm frobenius_norm nuclear_norm cosine_similarity dist
        pdist cdist renorm logsumexp upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d
        upsample_bilinear2d upsample_trilinear3d upsample_bicubic2d"""),
    "fp32_set_opt_dtype": words("""prod softmax log_softmax cumprod cumsum linalg_vector_norm linalg_matrix_norm sum"""),
    "fp32_append_dtype": words("norm"),
    "promote": words("""addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add"""),
    "banned": words("binary_cross_entropy"),
}

TORCH_CPU = {
    "lower_precision_fp": words("""conv1d conv2d conv3d bmm mm linalg_vecdot baddbmm addmm _addmm_activation addbmm
        linear _convolution matmul conv_tbc mkldnn_rnn_layer conv_transpose1d conv_transpose2d conv_transpose3d prelu
        scaled_dot_product_attention _native_multi_head_attention"""),
    "fp32": POINTWISE_LOSSES | words("""avg_pool3d binary_cross_entropy grid_sampler polar prod quantile nanquantile stft
        cdist grid_sampler_2d _grid_sampler_2d_cpu_fallback grid_sampler_3d trace view_as_complex cholesky
        cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse max_pool3d max_unpool2d max_unpool3d
        adaptive_avg_pool3d reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d replication_pad3d
        cross_entropy_loss ctc_loss fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn fft_rfft fft_irfft fft_rfft2
        fft_irfft2 fft_rfftn fft_irfftn fft_hfft fft_ihfft linalg_cond linalg_matrix_rank linalg_solve linalg_cholesky
        linalg_svdvals linalg_eigvals linalg_eigvalsh linalg_inv linalg_householder_product linalg_tensorinv
        linalg_tensorsolve linalg_qr linalg_cholesky_ex linalg_svd linalg_eig linalg_eigh linalg_lstsq linalg_inv_ex
        fake_quantize_per_tensor_affine geqrf _lu_with_info qr svd triangular_solve fractional_max_pool2d
        fractional_max_pool3d adaptive_max_pool3d multilabel_margin_loss_forward"""),
    "promote": words("stack cat index_copy"),
}

APEX_O1 = {
    "lower_precision_fp": words("""conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc prelu
        addmm addmv addr matmul mm mv linear __matmul__ addbmm baddbmm bmm"""),
    "fp32": POINTWISE_LOSSES - {"huber_loss"} | words("""acos asin cosh erfinv exp expm1 log log10 log2 reciprocal rsqrt
        sinh tan pow cumprod cumsum dist norm prod std sum var renorm interpolate grid_sample softplus softmin
        log_softmax softmax gelu layer_norm group_norm local_response_norm normalize cosine_similarity cross_entropy
        ctc_loss"""),
    "promote": words("addcdiv addcmul atan2 cross bilinear dot add div mul sub eq equal ge gt le lt ne cat stack"),
    "banned": words("binary_cross_entropy"),
}

TF_FP16 = {
    "allow": words("""Conv2D Conv2DBackpropFilter Conv2DBackpropInput Einsum MatMul BlockLSTM BlockLSTMV2 BlockLSTMGrad
        BlockLSTMGradV2 CudnnRNN CudnnRNNV2 CudnnRNNV3 CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3
        FusedConv2DBiasActivation FusedSparseConvGpuV2 GRUBlockCell GRUBlockCellGrad LSTMBlockCell LSTMBlockCellGrad Mha
        MhaV2 Tmlp TmlpV2 TmlpV3 Pmlp FastUnsortedSegmentMax BatchMatMul BatchMatMulV2 Conv3D Conv3DBackpropFilter
        Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNative
        DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput"""),
    "infer": words("""Add AddN AddV2 AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad BiasAdd BiasAddGrad BiasAddV1 Elu EluGrad
        Erf Erfc FloorDiv FusedBatchNormV2 FusedBatchNormGradV2 FusedBatchNormV3 FusedBatchNormGradV3 _FusedBatchNormEx
        Inv LeakyRelu LeakyReluGrad Log Log1p LogSoftmax Mul Prod RealDiv Reciprocal Selu SeluGrad Sigmoid SigmoidGrad
        Softmax Softplus SoftplusGrad Softsign SoftsignGrad Sqrt Sub Tanh TanhGrad"""),
    "deny": words("""Exp Expm1 L2Loss Mean Pow SaveV2 SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits
        Sum"""),
    "clear": words("""Abs ArgMax ArgMin BatchToSpace BatchToSpaceND BroadcastTo Ceil CheckNumerics ClipByValue Concat
        ConcatV2 DepthToSpace DynamicPartition DynamicStitch Enter EnsureShape Equal Exit ExpandDims Fill Floor Gather
        GatherNd GatherV2 Greater GreaterEqual Identity IdentityN IsFinite IsInf IsNan Less LessEqual Max MaxPool
        MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad MaxPoolGradGradV2 MaxPoolGradV2 MaxPoolV2
        Maximum Merge Min Minimum MirrorPad MirrorPadGrad Neg NextIteration NotEqual OneHot OnesLike Pack Pad PadV2
        PreventGradient Rank Relu Relu6 Relu6Grad ReluGrad Reshape ResizeNearestNeighbor ResizeNearestNeighborGrad
        Reverse ReverseSequence ReverseV2 Round Select SelectV2 Shape ShapeN Sign Size Slice Snapshot SpaceToBatch
        SpaceToBatchND SpaceToDepth Split SplitV Squeeze StopGradient StridedSlice StridedSliceGrad Switch Tile TopK
        TopKV2 Transpose Unpack Where ZerosLike TensorListConcat TensorListConcatLists TensorListConcatV2
        TensorListGather TensorListGetItem TensorListPopBack TensorListPushBack TensorListPushBackBatch
        TensorListFromTensor TensorListScatter TensorListScatterV2 TensorListScatterIntoExistingList TensorListSetItem
        TensorListSplit TensorListStack"""),
}

# The differences that the bf16 lists of oneDNN have.
TF_BF16 = {
    "allow": {op for op in TF_FP16["allow"]
              if not any(part in op for part in ("LSTM", "RNN", "GRU", "Fused", "Mha", "mlp", "Unsorted"))
              and op not in {"Conv3DBackpropFilter", "Conv3DBackpropInput"}} | {"FusedPadConv2D"},
    "infer": TF_FP16["infer"] | words("Mean Sum Rsqrt Square SquaredDifference"),
    "deny": TF_FP16["deny"] - words("Mean Sum"),
    "clear": TF_FP16["clear"] - words("MaxPool3DGradGrad OneHot Size")
             | words("ResizeBilinear ScatterNd While StatelessWhile"),
}
