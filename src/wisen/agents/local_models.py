"""Whether an agent's log says that a model runs on the user's own machine: ollama, LM Studio, llama.cpp and the like.

It says yes only for what is known to be local. Whatever is not known counts as hosted, also a provider of the user's
own naming: where the log tells the address beside it, that decides.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

_LOCAL_PROVIDERS = frozenset(
    "docker-model-runner gpt4all jan koboldcpp llama-cpp llama.cpp llama_cpp llamacpp llamafile lm-studio lm_studio"
    " lmstudio local localai mlx mlx-lm mlx_lm ollama ollama-chat ollama_chat oss".split()
)
"""Providers that run models where the agent runs. What may as well be somebody's server, such as vLLM, is none."""
_CLOUD_SUFFIXES = (":cloud", "-cloud")
"""How Ollama's names of models end that it only passes on to its own servers."""


def is_local_model(provider: str | None, model: str | None = None, address: str | None = None) -> bool:
    """Whether a model is known to run on the user's own machine, by what a log tells of it."""
    if (model or "").lower().endswith(_CLOUD_SUFFIXES):
        return False
    if address:
        return _is_loopback(address)
    return (provider or "").strip().lower() in _LOCAL_PROVIDERS


def is_local_model_name(model: str | None) -> bool:
    """The same of a name with the provider in front: `ollama/qwen3:8b`."""
    provider, slash, name = (model or "").partition("/")
    return bool(slash) and is_local_model(provider, name)


def _is_loopback(address: str) -> bool:
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False
