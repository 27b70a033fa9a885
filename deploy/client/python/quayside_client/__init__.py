"""A typed client of Quayside's API. `shipments_gen` and `tokens_gen` have the types of bodies."""

from . import shipments_gen, tokens_gen
from .shipments_gen import ShipmentsOperations
from .tokens_gen import TokensOperations
from .transport import ProblemError, Response

__all__ = ["Client", "ProblemError", "Response", "shipments_gen", "tokens_gen"]


class Client(ShipmentsOperations, TokensOperations):
    """The operations of shipments-svc and tokens-svc, each a method. It may be used by several threads.

    Requests are repeated as the guides say: after Retry-After for 429 and 503, after 1, 2, 4, … seconds for 502, 504 and
    broken connections. Each POST has an Idempotency-Key, so that it takes effect once; pass your own to repeat it later.
    """
