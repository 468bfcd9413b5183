"""Detects from an agent's log whether a model runs on the user's machine: ollama, LM Studio, llama.cpp and the like.

Only what is known to be local counts as local. Everything else counts as hosted, including providers named by the
user; if the log records the address as well, the address decides.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

_LOCAL_PROVIDERS = frozenset(
    "docker-model-runner gpt4all jan koboldcpp llama-cpp llama.cpp llama_cpp llamacpp llamafile lm-studio lm_studio"
    " lmstudio local localai mlx mlx-lm mlx_lm ollama ollama-chat ollama_chat oss".split()
)
"""Providers that run models where the agent runs. Excludes what may be a remote server, such as vLLM."""
_CLOUD_SUFFIXES = (":cloud", "-cloud")
"""Suffixes of Ollama models that are forwarded to Ollama's own servers."""


def is_local_model(provider: str | None, model: str | None = None, address: str | None = None) -> bool:
    """Whether a model is known to run on the user's machine, judging by what a log records."""
    if (model or "").lower().endswith(_CLOUD_SUFFIXES):
        return False
    if address:
        return _is_loopback(address)
    return (provider or "").strip().lower() in _LOCAL_PROVIDERS


def is_local_model_name(model: str | None) -> bool:
    """Like `is_local_model`, for a name with a provider prefix: `ollama/qwen3:8b`."""
    provider, slash, name = (model or "").partition("/")
    return bool(slash) and is_local_model(provider, name)


def _is_loopback(address: str) -> bool:
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False
