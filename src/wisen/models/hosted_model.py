"""Vendors' models, and servers that speak OpenAI's format, through pydantic-ai.

It is loaded when a model is really asked: that takes more than a second. A key comes from the environment and goes
nowhere but to the server. What is on this machine is reached without proxies and redirects, so that it stays there.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wisen.errors import MissingExtra, ModelFailed, Reason
from wisen.models.model_ports import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

    from wisen.models.model_ports import Prompt

_OLLAMA_PORT = 11434
_OVERHEAD = 256
"""Tokens that a server's own frame around a prompt may take."""
_NO_KEY = "api-key-not-set"


class HostedModel:
    """One model of one server."""

    def __init__(self, name: str, environment: Mapping[str, str], key_variable: str = "") -> None:
        """`name`: `vendor:model`, or `address|model`."""
        self._name = name
        self._environment = environment
        self._key_variable = key_variable
        self._address, self._model = _address_of(name, environment)
        self.is_local = bool(self._address) and is_loopback(self._address) and not _leads_away(self._model)

    @property
    def overhead(self) -> int:
        """How many tokens may go in beside the prompt."""
        return _OVERHEAD

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """What so many tokens cost, by pydantic-ai's list of prices; None where it does not know the model."""
        if self.is_local:
            return 0.0
        if self._address:
            return None
        _load()
        from genai_prices import Usage, calc_price

        vendor, _, model = self._name.partition(":")
        try:
            price = calc_price(Usage(input_tokens=tokens_in, output_tokens=tokens_out), model, provider_id=vendor)
        except (LookupError, ValueError):
            return None
        return float(price.total_price)

    def respond(self, prompt: Prompt, seconds: float) -> Reply:
        """The reply, within so many seconds. Raises: ModelFailed, MissingExtra."""
        _load()
        from pydantic_ai import exceptions

        try:
            return _reply(asyncio.run(asyncio.wait_for(self._asked(prompt, seconds), seconds + 1)))
        except exceptions.ModelAPIError as error:
            if type(error) is exceptions.ModelAPIError:
                return Reply("")  # it answered, and nobody can read what
            raise self._failed(error) from None
        except TimeoutError:
            raise ModelFailed(f"{self._name} did not answer within {seconds:.0f} s.", Reason.TIMEOUT) from None
        except exceptions.ContentFilterError:
            return Reply("", refused=True)
        except exceptions.UnexpectedModelBehavior:
            return Reply("")  # what cannot be read is malformed
        except exceptions.UserError as error:
            raise ModelFailed(f"{self._name} cannot be asked: {_first_line(error)}", Reason.DENIED) from None
        except ImportError as missing:
            raise MissingExtra(f"{self._name} needs more than is installed: {_first_line(missing)}") from missing

    async def _asked(self, prompt: Prompt, seconds: float) -> ModelResponse:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.settings import ModelSettings

        client = _direct() if self.is_local else None
        model = self._opened(client)
        native = bool(model.profile.get("supports_json_schema_output", False))
        shape = OutputObjectDefinition(json_schema=dict(prompt.schema), name="answer", strict=None)
        asked = ModelRequestParameters(output_mode="native", output_object=shape) if native else None
        settings = ModelSettings(max_tokens=prompt.most_tokens, timeout=seconds, request_timeout=seconds, max_retries=0)
        request = ModelRequest.user_text_prompt(prompt.user, instructions=prompt.system)
        async with model, client or nullcontext():
            return await model_request(model, [request], model_settings=settings, model_request_parameters=asked)

    def _opened(self, client: AsyncClient | None) -> Model:
        key = self._key()
        if self._address:
            return _compatible(self._address, self._model, key, client)
        from pydantic_ai.models import infer_model
        from pydantic_ai.providers import infer_provider, infer_provider_class

        if key is None:
            return infer_model(self._name, infer_provider)
        return infer_model(self._name, lambda vendor: _keyed(infer_provider_class(vendor), key))

    def _key(self) -> str | None:
        if not self._key_variable:
            return None
        key = self._environment.get(self._key_variable)
        if not key:
            says = f"{self._name} cannot be asked: the variable {self._key_variable} (models.key_variable) is not set."
            raise ModelFailed(says, Reason.DENIED)
        return key

    def _failed(self, error: Any) -> ModelFailed:
        """A vendor's error in our own words: its text may quote what was sent, or the key."""
        from pydantic_ai import exceptions as of

        status = getattr(error, "status_code", None)
        code = f" (HTTP {status})" if status else ""
        kinds = (
            ((of.ModelTimeoutError, of.ModelRequestTimeout), Reason.TIMEOUT, "did not answer in time"),
            (of.ModelConnectionError, Reason.UNREACHABLE, "cannot be reached"),
            (of.ModelQuotaExceededError, Reason.DENIED, "says that the account's quota is used up"),
            (of.ModelRateLimitError, Reason.RATE_LIMITED, "is asked too often"),
            ((of.ModelUnavailableError, of.ModelServerError), Reason.UNAVAILABLE, "has a trouble of its own"),
            (of.ModelAuthenticationError, Reason.DENIED, "does not accept the key"),
            (of.ModelNotFoundError, Reason.DENIED, "does not know this model"),
            (of.ModelRequestRejectedError, Reason.DENIED, "does not accept the request"),
        )
        for kind, reason, says in kinds:
            if isinstance(error, kind):
                return ModelFailed(f"{self._name} {says}{code}.", reason, wait=error.retry_after)
        if status == 429:
            return ModelFailed(f"{self._name} is asked too often{code}.", Reason.RATE_LIMITED, wait=error.retry_after)
        if status and status >= 500:
            says = f"{self._name} has a trouble of its own{code}."
            return ModelFailed(says, Reason.UNAVAILABLE, wait=error.retry_after)
        return ModelFailed(f"{self._name} does not accept the request{code}.", Reason.DENIED)


def is_loopback(address: str) -> bool:
    """Whether an address is of this machine and of no other."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _leads_away(model: str) -> bool:
    """Whether a local Ollama hands the question on to its vendor's machines."""
    return model.endswith(("-cloud", ":cloud"))


def _address_of(name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The address and the model that a name means; no address where a vendor's own is meant."""
    if name.startswith(("http://", "https://")):
        address, _, model = name.partition("|")
        return address, model
    vendor, _, model = name.partition(":")
    if vendor != "ollama":
        return "", model
    return environment.get("OLLAMA_BASE_URL") or _served(environment.get("OLLAMA_HOST", "")), model


def _served(host: str) -> str:
    """The address of an Ollama, as its own variable tells where it listens."""
    parts = urlsplit(host if "://" in host else f"http://{host}")
    name = parts.hostname or ""
    # One that listens everywhere listens here too.
    named = "127.0.0.1" if name in ("", "0.0.0.0", "::") else f"[{name}]" if ":" in name else name  # noqa: S104
    return f"{parts.scheme}://{named}:{parts.port or _OLLAMA_PORT}/v1"


def _load() -> None:
    try:
        import pydantic_ai
    except ImportError as missing:
        raise MissingExtra(
            "Asking a vendor's or a local server's model needs pydantic-ai, which is not installed: "
            "`pip install 'wisen[models]'`."
        ) from missing
    del pydantic_ai


def _direct() -> AsyncClient:
    """A way to this machine only: no proxy of the environment's, and no other address that a server points to."""
    import httpx2

    return httpx2.AsyncClient(trust_env=False, follow_redirects=False)


def _compatible(address: str, model: str, key: str | None, client: AsyncClient | None) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # The older name of this limit is the one that every such server knows.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    provider = OpenAICompatibleProvider(
        "compatible", base_url=address, api_key=key or _NO_KEY, http_client=client, profile=profile
    )
    return OpenAIChatModel(model, provider=provider)


def _keyed(kind: Any, key: str) -> Any:
    return kind(api_key=key)


def _reply(response: ModelResponse) -> Reply:
    text = response.text or ""
    usage = response.usage
    refused = response.finish_reason == "content_filter"
    told = usage.input_tokens or usage.output_tokens
    return Reply(
        text,
        usage.input_tokens if told else None,
        usage.output_tokens if told else None,
        refused=refused,
    )


def _first_line(error: Exception) -> str:
    """The first sentence: what follows is about pydantic-ai."""
    return str(error).partition("\n")[0].partition(". ")[0].rstrip(".") + "."
