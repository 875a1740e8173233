"""Tiny models with random weights, one function a row: ``() -> (module, kwargs)``.

The rows are those of GraphMend's table (arXiv 2509.16248, artifact savini98/CGO_AE_GraphMend) that
need no download, each from its configuration class, small. They run on transformers 4.52.4, which
the artifact names, and on 5.x. Runs in the interpreter that has torch and the libraries.
"""

from __future__ import annotations

import torch

BATCH, LENGTH, VOCABULARY = 2, 12, 128


def _ids(low: int = 5):
    return torch.randint(low, VOCABULARY - 1, (BATCH, LENGTH))


def _text(**more):
    ids = _ids()
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), **more}


def t5():
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(
        vocab_size=VOCABULARY,
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
    )
    return T5ForConditionalGeneration(config), _text(decoder_input_ids=_ids())


def whisper():
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(
        vocab_size=VOCABULARY,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        num_mel_bins=16,
        max_source_positions=32,
        max_target_positions=32,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    model = WhisperForConditionalGeneration(config)
    return model, {"input_features": torch.randn(BATCH, 16, 64), "decoder_input_ids": _ids()}


def _bart_like(config_name: str, model_name: str, **more):
    import transformers

    config = getattr(transformers, config_name)(
        vocab_size=VOCABULARY,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=64,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        forced_eos_token_id=2,
        **more,
    )
    return getattr(transformers, model_name)(config)


def bart():
    return _bart_like("BartConfig", "BartForConditionalGeneration"), _text(decoder_input_ids=_ids())


def marian():
    model = _bart_like("MarianConfig", "MarianMTModel", decoder_vocab_size=VOCABULARY)
    return model, _text(decoder_input_ids=_ids())


def blenderbot():
    model = _bart_like("BlenderbotConfig", "BlenderbotForConditionalGeneration")
    return model, _text(decoder_input_ids=_ids())


def pegasus():
    model = _bart_like("PegasusConfig", "PegasusForCausalLM", is_decoder=True)
    return model, _text()


def biogpt():
    from transformers import BioGptConfig, BioGptForCausalLM

    config = BioGptConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    return BioGptForCausalLM(config), _text()


def layoutlmv3():
    from transformers import LayoutLMv3Config, LayoutLMv3Model

    config = LayoutLMv3Config(
        vocab_size=VOCABULARY,
        hidden_size=36,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        coordinate_size=6,
        shape_size=6,
        input_size=32,
        patch_size=16,
        rel_pos_bins=8,
        rel_2d_pos_bins=8,
    )
    boxes = torch.randint(0, 100, (BATCH, LENGTH, 4)).sort(dim=-1).values
    boxes = boxes[..., [0, 1, 2, 3]]
    return LayoutLMv3Model(config), _text(bbox=boxes, pixel_values=torch.randn(BATCH, 3, 32, 32))


def grounding_dino():
    from transformers import BertConfig, GroundingDinoConfig, GroundingDinoForObjectDetection, SwinConfig

    backbone = SwinConfig(
        image_size=64,
        window_size=4,
        embed_dim=16,
        depths=[1, 1, 1, 1],
        num_heads=[1, 1, 2, 2],
        out_indices=[2, 3, 4],
    )
    text = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    config = GroundingDinoConfig(
        backbone_config=backbone,
        text_config=text,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        num_queries=10,
        num_feature_levels=4,
        max_text_len=32,
    )
    ids = torch.tensor([[101, 7, 8, 9, 102, 11, 102]] * BATCH) % (VOCABULARY - 1)
    given = {
        "pixel_values": torch.randn(BATCH, 3, 64, 64),
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "token_type_ids": torch.zeros_like(ids),
    }
    return GroundingDinoForObjectDetection(config), given


def longformer():
    from transformers import LongformerConfig, LongformerModel

    config = LongformerConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=130,
        attention_window=8,
    )
    ids = torch.randint(5, VOCABULARY - 1, (BATCH, 21))
    return LongformerModel(config), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def clap():
    from transformers import ClapAudioConfig, ClapConfig, ClapModel, ClapTextConfig

    audio = ClapAudioConfig(
        window_size=8,
        spec_size=256,
        num_mel_bins=64,
        patch_size=4,
        patch_stride=[4, 4],
        depths=[1, 1],
        num_attention_heads=[2, 2],
        patch_embeds_hidden_size=16,
        hidden_size=32,
        projection_dim=32,
        enable_fusion=True,
    )
    text = ClapTextConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        projection_dim=32,
    )
    config = ClapConfig(text_config=text.to_dict(), audio_config=audio.to_dict(), projection_dim=32)
    given = {
        "input_ids": _ids(),
        "input_features": torch.randn(BATCH, 4, 1001, 64),
        "is_longer": torch.tensor([[True], [True]]),  # in training, batch norm needs two
    }
    return ClapModel(config), given


ROWS = {
    "T5": t5,
    "Whisper": whisper,
    "BART": bart,
    "Marian": marian,
    "BioGPT": biogpt,
    "Pegasus": pegasus,
    "Blenderbot": blenderbot,
    "LayoutLMv3": layoutlmv3,
    "Grounding-DINO": grounding_dino,
    "Longformer": longformer,
    "CLAP": clap,
}

#: Files a row's forward passes through that hold findings, below `transformers/`.
FILES = {
    "T5": "models/t5/modeling_t5.py",
    "Whisper": "models/whisper/modeling_whisper.py",
    "BART": "models/bart/modeling_bart.py",
    "Marian": "models/marian/modeling_marian.py",
    "BioGPT": "models/biogpt/modeling_biogpt.py",
    "Pegasus": "models/pegasus/modeling_pegasus.py",
    "Blenderbot": "models/blenderbot/modeling_blenderbot.py",
    "LayoutLMv3": "models/layoutlmv3/modeling_layoutlmv3.py modeling_utils.py",
    "Grounding-DINO": "models/grounding_dino/modeling_grounding_dino.py utils/import_utils.py",
    "Longformer": "models/longformer/modeling_longformer.py",
    "CLAP": "models/clap/modeling_clap.py",
}


def inputs_of(row: str):
    """The function that builds a row: seeded, and memory that was never written gets values."""

    def build():
        torch.manual_seed(0)
        model, given = ROWS[row]()
        with torch.no_grad():
            for parameter in model.parameters():
                if not torch.isfinite(parameter).all() or parameter.abs().max() > 1e3:
                    torch.nn.init.normal_(parameter, std=0.02)
        return model, given

    return build


#: What `--inputs rows.py:NAME` names: one function a row.
for _row in ROWS:
    globals()["inputs_" + _row.replace("-", "_")] = inputs_of(_row)
