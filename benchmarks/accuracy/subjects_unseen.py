"""Modules of packages that nobody looked at while the rules were written (vit-pytorch,
x-transformers, vector-quantize-pytorch, pytorch-tabnet, kornia, segmentation-models-pytorch,
pytorch-crf), built small. Scored apart, see ``score.py``."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from subject import Call, Subject, Variant

Inputs = Callable[[int], tuple[Any, ...]]
_VIT = {"patch_size": 8, "num_classes": 10, "dim": 32, "depth": 2, "heads": 2, "mlp_dim": 64}


def subjects() -> Iterator[Subject]:
    for name, (target, options, inputs) in _plain().items():
        yield _subject(name, lambda t=target, o=options: _load(t)(**o), target, inputs)
    for name, (build, target, inputs) in _composed().items():
        yield _subject(name, build, target, inputs)


def _load(target: str) -> Any:
    module, _, name = target.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _subject(name: str, build: Callable[[], Any], target: str, inputs: Inputs) -> Subject:
    def call(mode: str, batch: int) -> Call:
        return inputs(batch), {}

    path = target.rpartition(".")[0].replace(".", "/") + ".py"
    return Subject(name, path, (Variant(build, call),))


def _image(side: int = 64, channels: int = 3) -> Inputs:
    import torch

    return lambda batch: (torch.rand(batch, channels, side, side),)


def _tokens(length: int = 32) -> Inputs:
    import torch

    return lambda batch: (torch.randint(1, 60, (batch, length)),)


def _vectors(width: int, length: int = 16) -> Inputs:
    import torch

    return lambda batch: (torch.randn(batch, length, width),)


def _plain() -> dict[str, tuple[str, dict[str, Any], Inputs]]:
    import torch

    sized = {"image_size": 64, **_VIT}
    tokens = {"dim": 32, "codebook_size": 64}
    return {
        "vit-ats": ("vit_pytorch.ats_vit.ViT", {**sized, "max_tokens_per_depth": (32, 16)}, _image()),
        "vit-navit": (
            "vit_pytorch.na_vit.NaViT",
            {**sized, "token_dropout_prob": 0.1},
            lambda batch: ([[torch.rand(3, 64, 32), torch.rand(3, 32, 32)] for _ in range(batch)],),
        ),
        "vit-cct": (
            "vit_pytorch.cct.CCT",
            {
                "img_size": 64,
                "embedding_dim": 32,
                "num_layers": 2,
                "num_heads": 2,
                "mlp_ratio": 2.0,
                "num_classes": 10,
            },
            _image(),
        ),
        "vit-t2t": (
            "vit_pytorch.t2t.T2TViT",
            {"image_size": 64, "num_classes": 10, "dim": 32, "depth": 2, "heads": 2, "mlp_dim": 64},
            _image(),
        ),
        "vit-crossformer": (
            "vit_pytorch.crossformer.CrossFormer",
            {"depth": (1, 1, 1, 1), "dim": (32, 32, 32, 32)},
            _image(224),
        ),
        "vit-look": (
            "vit_pytorch.look_vit.LookViT",
            {"dim": 32, "image_size": 96, "num_classes": 10, "depth": 2, "heads": 2},
            _image(96),
        ),
        "vit-region": (
            "vit_pytorch.regionvit.RegionViT",
            {"dim": (32, 32, 32, 32), "depth": (1, 1, 1, 1), "use_peg": True},
            _image(224),
        ),
        "vit-dropout": ("vit_pytorch.vit_with_patch_dropout.ViT", sized, _image()),
        "vq": (
            "vector_quantize_pytorch.vector_quantize_pytorch.VectorQuantize",
            {**tokens, "threshold_ema_dead_code": 2},
            _vectors(32),
        ),
        "vq-kmeans": (
            "vector_quantize_pytorch.vector_quantize_pytorch.VectorQuantize",
            {**tokens, "kmeans_init": True, "use_cosine_sim": True, "orthogonal_reg_weight": 0.1},
            _vectors(32),
        ),
        "vq-residual": (
            "vector_quantize_pytorch.residual_vq.ResidualVQ",
            {**tokens, "num_quantizers": 3, "quantize_dropout": True},
            _vectors(32),
        ),
        "vq-fsq": (
            "vector_quantize_pytorch.finite_scalar_quantization.FSQ",
            {"levels": [8, 5, 5], "dim": 32},
            _vectors(32),
        ),
        "vq-lfq": ("vector_quantize_pytorch.lookup_free_quantization.LFQ", tokens, _vectors(32)),
        "vq-random": (
            "vector_quantize_pytorch.random_projection_quantizer.RandomProjectionQuantizer",
            {**tokens, "codebook_dim": 8, "num_codebooks": 2},
            _vectors(32),
        ),
        "vq-sim": ("vector_quantize_pytorch.sim_vq.SimVQ", tokens, _vectors(32)),
        "tabnet": (
            "pytorch_tabnet.tab_network.TabNet",
            {"input_dim": 6, "output_dim": 2, "group_attention_matrix": torch.eye(6)},
            lambda batch: (torch.randn(32 * batch, 6),),
        ),
        "tabnet-pretraining": (
            "pytorch_tabnet.tab_network.TabNetPretraining",
            {"input_dim": 6, "group_attention_matrix": torch.eye(6)},
            lambda batch: (torch.randn(32 * batch, 6),),
        ),
        "kornia-keynet": ("kornia.feature.keynet.KeyNet", {"pretrained": False}, _image(48, 1)),
        "kornia-detector": (
            "kornia.feature.keynet.KeyNetDetector",
            {"pretrained": False, "num_features": 32},
            lambda batch: (torch.rand(1, 1, 64, 64),),
        ),
        "kornia-scalespace": (
            "kornia.feature.scale_space_detector.ScaleSpaceDetector",
            {"num_features": 32},
            _image(64, 1),
        ),
        "kornia-disk": ("kornia.feature.disk.disk.DISK", {}, _image(64)),
        "kornia-sift": ("kornia.feature.siftdesc.SIFTDescriptor", {"patch_size": 32}, _image(32, 1)),
        "kornia-aliked": ("kornia.feature.aliked.aliked.ALIKED", {"model_name": "aliked-t16"}, _image(64)),
        "kornia-loftr": (
            "kornia.feature.loftr.loftr.LoFTR",
            {"pretrained": None},
            lambda batch: ({"image0": torch.rand(batch, 1, 64, 64), "image1": torch.rand(batch, 1, 64, 64)},),
        ),
        "kornia-augment-affine": (
            "kornia.augmentation.RandomAffine",
            {"degrees": 15.0, "p": 0.5},
            _image(32),
        ),
        "kornia-augment-jitter": (
            "kornia.augmentation.ColorJiggle",
            {"brightness": 0.2, "contrast": 0.2, "p": 0.5},
            _image(32),
        ),
        "kornia-ssim": (
            "kornia.losses.SSIMLoss",
            {"window_size": 5},
            lambda batch: (torch.rand(batch, 3, 32, 32), torch.rand(batch, 3, 32, 32)),
        ),
        "kornia-canny": ("kornia.filters.Canny", {}, _image(32)),
        "kornia-lovasz": (
            "kornia.losses.LovaszSoftmaxLoss",
            {},
            lambda batch: (torch.randn(batch, 4, 16, 16), torch.randint(0, 4, (batch, 16, 16))),
        ),
        "crf": (
            "torchcrf.CRF",
            {"num_tags": 5},
            lambda batch: (
                torch.randn(8, batch, 5),
                torch.randint(0, 5, (8, batch)),
                torch.ones(8, batch, dtype=torch.uint8),
            ),
        ),
        **{
            f"smp-{name.lower()}": (
                f"segmentation_models_pytorch.{name}",
                {"encoder_name": "resnet18", "encoder_weights": None, "classes": 3},
                _image(128),
            )
            for name in ("Unet", "PSPNet", "PAN", "DeepLabV3Plus", "MAnet")
        },
        "smp-dice": (
            "segmentation_models_pytorch.losses.DiceLoss",
            {"mode": "multiclass"},
            lambda batch: (torch.randn(batch, 4, 16, 16), torch.randint(0, 4, (batch, 16, 16))),
        ),
        "smp-lovasz": (
            "segmentation_models_pytorch.losses.LovaszLoss",
            {"mode": "multiclass"},
            lambda batch: (torch.randn(batch, 4, 16, 16), torch.randint(0, 4, (batch, 16, 16))),
        ),
    }


def _composed() -> dict[str, tuple[Callable[[], Any], str, Inputs]]:
    """Models that take another model."""
    import torch

    def transformer(**options: Any) -> Any:
        import x_transformers as x

        layers = x.Decoder(dim=32, depth=2, heads=2, **options)
        return x.TransformerWrapper(num_tokens=64, max_seq_len=64, attn_layers=layers)

    def continuous() -> Any:
        import x_transformers as x

        layers = x.Encoder(dim=32, depth=2, heads=2)
        return x.ContinuousTransformerWrapper(dim_in=8, dim_out=8, max_seq_len=64, attn_layers=layers)

    def numbers() -> Any:
        import x_transformers as x

        layers = x.Decoder(dim=32, depth=2, heads=2)
        net = _load("x_transformers.xval.XValTransformerWrapper")(
            num_tokens=64, numerical_token_id=3, max_seq_len=64, attn_layers=layers
        )
        return _load("x_transformers.xval.XValAutoregressiveWrapper")(net)

    def masked() -> Any:
        import x_transformers as x

        net = x.TransformerWrapper(
            num_tokens=65, max_seq_len=64, attn_layers=x.Encoder(dim=32, depth=2, heads=2)
        )
        return _load("x_transformers.nonautoregressive_wrapper.NonAutoregressiveWrapper")(net, mask_id=64)

    def seq_to_seq() -> Any:
        import x_transformers as x

        sizes = {"num_tokens": 64, "depth": 2, "heads": 2, "max_seq_len": 64}
        return x.XTransformer(
            dim=32, **{f"{side}_{k}": v for side in ("enc", "dec") for k, v in sizes.items()}
        )

    def vae() -> Any:
        return _load("x_transformers.gpt_vae.GPTVAE")(
            num_tokens=64, dim=32, depth=2, enc_depth=2, max_seq_len=64, attn_dim_head=16, heads=2
        )

    options = {"rotary_pos_emb": True, "attn_qk_norm": True, "ff_glu": True, "rel_pos_bias": False}
    return {
        "x-decoder": (
            lambda: transformer(**options),
            "x_transformers.x_transformers.TransformerWrapper",
            _tokens(),
        ),
        "x-alibi": (
            lambda: transformer(alibi_pos_bias=True),
            "x_transformers.x_transformers.TransformerWrapper",
            _tokens(),
        ),
        "x-autoregressive": (
            lambda: _load("x_transformers.AutoregressiveWrapper")(transformer(), mask_prob=0.1),
            "x_transformers.autoregressive_wrapper.AutoregressiveWrapper",
            _tokens(),
        ),
        "x-continuous": (continuous, "x_transformers.continuous.ContinuousTransformerWrapper", _vectors(8)),
        "x-xval": (
            numbers,
            "x_transformers.xval.XValAutoregressiveWrapper",
            lambda batch: (torch.randint(1, 60, (batch, 16)), torch.randn(batch, 16)),
        ),
        "x-masked": (
            masked,
            "x_transformers.nonautoregressive_wrapper.NonAutoregressiveWrapper",
            _tokens(64),
        ),
        "x-seq2seq": (
            seq_to_seq,
            "x_transformers.x_transformers.XTransformer",
            lambda batch: (torch.randint(1, 60, (batch, 16)), torch.randint(1, 60, (batch, 16))),
        ),
        "x-gptvae": (vae, "x_transformers.gpt_vae.GPTVAE", _tokens()),
    }
