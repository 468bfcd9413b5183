"""Asks vendors' models, and servers with an OpenAI-compatible API, through pydantic-ai.

pydantic-ai is imported only when a model is asked, as that takes more than a second. A key comes from the environment
and is sent only to the server. Servers on this machine are reached without proxies and redirects, so that no data
leaves it.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wisen.errors import MissingExtra, ModelFailed, Reason
from wisen.language_models.model_ports import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

    from wisen.language_models.model_ports import Prompt

_OLLAMA_PORT = 11434
_OVERHEAD = 256
"""Tokens that a server may add around a prompt."""
_NO_KEY = "api-key-not-set"


class HostedModel:
    """A model on a server."""

    def __init__(self, name: str, environment: Mapping[str, str], key_variable: str = "") -> None:
        """`name`: `vendor:model` or `address|model`."""
        self._name = name
        self._environment = environment
        self._key_variable = key_variable
        self._address, self._model = _address_of(name, environment)
        self.is_local = bool(self._address) and is_loopback(self._address) and not _is_forwarded(self._model)

    @property
    def overhead(self) -> int:
        """How many tokens may be sent in addition to the prompt."""
        return _OVERHEAD

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return the cost of tokens by pydantic-ai's price list; None if it does not know the model."""
        if self.is_local:
            return 0.0
        if self._address:
            return None
        _require_pydantic_ai()
        from genai_prices import Usage, calc_price

        vendor, _, model = self._name.partition(":")
        try:
            price = calc_price(Usage(input_tokens=tokens_in, output_tokens=tokens_out), model, provider_id=vendor)
        except (LookupError, ValueError):
            return None
        return float(price.total_price)

    def respond(self, prompt: Prompt, seconds: float) -> Reply:
        """Return the reply, within this many seconds. Raises: ModelFailed, MissingExtra."""
        _require_pydantic_ai()
        from pydantic_ai import exceptions

        try:
            return _to_reply(asyncio.run(asyncio.wait_for(self._request(prompt, seconds), seconds + 1)))
        except exceptions.ModelAPIError as error:
            if type(error) is exceptions.ModelAPIError:
                return Reply("")  # it answered, but the answer is not readable
            raise self._failed(error) from None
        except TimeoutError:
            raise ModelFailed(f"{self._name} did not answer within {seconds:.0f} s.", Reason.TIMEOUT) from None
        except exceptions.ContentFilterError:
            return Reply("", refused=True)
        except (exceptions.UnexpectedModelBehavior, RecursionError):
            return Reply("")  # an unreadable answer counts as malformed
        except exceptions.UserError as error:
            raise ModelFailed(f"{self._name} cannot be asked: {_first_sentence(error)}", Reason.DENIED) from None
        except ImportError as missing:
            raise MissingExtra(f"{self._name} needs more than is installed: {_first_sentence(missing)}") from missing

    async def _request(self, prompt: Prompt, seconds: float) -> ModelResponse:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.settings import ModelSettings

        client = _local_client() if self.is_local else None
        model = self._open_model(client)
        has_schema_support = bool(model.profile.get("supports_json_schema_output", False))
        output_object = OutputObjectDefinition(json_schema=dict(prompt.schema), name="answer", strict=None)
        parameters = (
            ModelRequestParameters(output_mode="native", output_object=output_object) if has_schema_support else None
        )
        settings = ModelSettings(max_tokens=prompt.max_tokens, timeout=seconds, request_timeout=seconds, max_retries=0)
        request = ModelRequest.user_text_prompt(prompt.user, instructions=prompt.system)
        async with model, client or nullcontext():
            return await model_request(model, [request], model_settings=settings, model_request_parameters=parameters)

    def _open_model(self, client: AsyncClient | None) -> Model:
        key = self._key()
        if self._address:
            return _open_compatible(self._address, self._model, key, client)
        from pydantic_ai.models import infer_model
        from pydantic_ai.providers import infer_provider, infer_provider_class

        if key is None:
            return infer_model(self._name, infer_provider)
        return infer_model(self._name, lambda vendor: _create_provider(infer_provider_class(vendor), key))

    def _key(self) -> str | None:
        if not self._key_variable:
            return None
        key = self._environment.get(self._key_variable)
        if not key:
            message = (
                f"{self._name} cannot be asked: the variable {self._key_variable} (models.key_variable) is not set."
            )
            raise ModelFailed(message, Reason.DENIED)
        return key

    def _failed(self, error: Any) -> ModelFailed:
        """Explain a vendor's error in our own words: its text may quote what was sent, or the key."""
        from pydantic_ai import exceptions

        status = getattr(error, "status_code", None)
        code = f" (HTTP {status})" if status else ""
        kinds = (
            ((exceptions.ModelTimeoutError, exceptions.ModelRequestTimeout), Reason.TIMEOUT, "did not answer in time"),
            (exceptions.ModelConnectionError, Reason.UNREACHABLE, "cannot be reached"),
            (exceptions.ModelQuotaExceededError, Reason.DENIED, "says that the account's quota is used up"),
            (exceptions.ModelRateLimitError, Reason.RATE_LIMITED, "is rate limited"),
            (
                (exceptions.ModelUnavailableError, exceptions.ModelServerError),
                Reason.UNAVAILABLE,
                "has an internal error",
            ),
            (exceptions.ModelAuthenticationError, Reason.DENIED, "does not accept the key"),
            (exceptions.ModelNotFoundError, Reason.DENIED, "does not know this model"),
            (exceptions.ModelRequestRejectedError, Reason.DENIED, "does not accept the request"),
        )
        for kind, reason, message in kinds:
            if isinstance(error, kind):
                return ModelFailed(f"{self._name} {message}{code}.", reason, wait=error.retry_after)
        if status == 429:
            return ModelFailed(f"{self._name} is rate limited{code}.", Reason.RATE_LIMITED, wait=error.retry_after)
        if status and status >= 500:
            message = f"{self._name} has an internal error{code}."
            return ModelFailed(message, Reason.UNAVAILABLE, wait=error.retry_after)
        return ModelFailed(f"{self._name} does not accept the request{code}.", Reason.DENIED)


def is_loopback(address: str) -> bool:
    """Whether an address belongs to this machine only."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_forwarded(model: str) -> bool:
    """Whether a local Ollama forwards the question to its vendor's servers."""
    return model.endswith(("-cloud", ":cloud"))


def _address_of(name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the address and the model of a name; no address for a vendor's own server."""
    if name.startswith(("http://", "https://")):
        address, _, model = name.partition("|")
        return address, model
    vendor, _, model = name.partition(":")
    if vendor != "ollama":
        return "", model
    return environment.get("OLLAMA_BASE_URL") or _ollama_address(environment.get("OLLAMA_HOST", "")), model


def _ollama_address(host: str) -> str:
    """Return the address of an Ollama server from the variable that configures where it listens."""
    parts = urlsplit(host if "://" in host else f"http://{host}")
    name = parts.hostname or ""
    # A server that listens on all addresses listens on this machine, too.
    host_name = "127.0.0.1" if name in ("", "0.0.0.0", "::") else f"[{name}]" if ":" in name else name  # noqa: S104
    return f"{parts.scheme}://{host_name}:{parts.port or _OLLAMA_PORT}/v1"


def _require_pydantic_ai() -> None:
    try:
        import pydantic_ai
    except ImportError as missing:
        raise MissingExtra(
            "Asking a vendor's or a local server's model needs pydantic-ai, which is not installed: "
            "`pip install 'wisen[models]'`."
        ) from missing
    del pydantic_ai


def _local_client() -> AsyncClient:
    """Return an HTTP client for this machine only: without proxies from the environment, and without redirects."""
    import httpx2

    return httpx2.AsyncClient(trust_env=False, follow_redirects=False)


def _open_compatible(address: str, model: str, key: str | None, client: AsyncClient | None) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # Every such server knows the older name of this limit.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    provider = OpenAICompatibleProvider(
        "compatible", base_url=address, api_key=key or _NO_KEY, http_client=client, profile=profile
    )
    return OpenAIChatModel(model, provider=provider)


def _create_provider(kind: Any, key: str) -> Any:
    return kind(api_key=key)


def _to_reply(response: ModelResponse) -> Reply:
    text = response.text or ""
    usage = response.usage
    refused = response.finish_reason == "content_filter"
    has_usage = usage.input_tokens or usage.output_tokens
    return Reply(
        text,
        usage.input_tokens if has_usage else None,
        usage.output_tokens if has_usage else None,
        refused=refused,
    )


def _first_sentence(error: Exception) -> str:
    """Return the first sentence: the rest is about pydantic-ai."""
    return str(error).partition("\n")[0].partition(". ")[0].rstrip(".") + "."
