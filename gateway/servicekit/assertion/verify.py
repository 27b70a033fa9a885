"""Verifies the gateway's assertion in Python, with the package cryptography (pip install cryptography).

Run in this folder, it verifies the test vector: python3 verify.py
"""
import base64, json, time
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

IDENTITY = {"org": "X-Organization-ID", "sub": "X-Token-ID", "scope": "X-Token-Permissions"}
LIFETIME, SKEW = 30, 5  # seconds


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def identity(headers, public_key, audience, issuer="quayside-gateway", now=time.time):
    """Returns the verified claims, or raises: the request then has no identity."""
    header, claims, signature = headers["X-Gateway-Assertion"].split(".")
    if json.loads(decoded(header))["alg"] != "EdDSA":
        raise ValueError("another algorithm")
    public_key.verify(decoded(signature), f"{header}.{claims}".encode())
    claims = json.loads(decoded(claims))
    if claims["iss"] != issuer or claims["aud"] not in (audience, [audience]):
        raise ValueError("another issuer, or for another service")
    if claims["exp"] - claims["iat"] > LIFETIME or not claims["iat"] - SKEW <= now() < claims["exp"] + SKEW:
        raise ValueError("not valid now")
    if any(headers[name] != claims[claim] for claim, name in IDENTITY.items()):
        raise ValueError("about another identity")
    return claims


if __name__ == "__main__":
    vector = json.load(open("../testdata/contract/assertion.json"))
    private_key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vector["seed"]))
    pem = private_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    at = time.mktime(time.strptime(vector["at"], "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
    headers = {
        "X-Organization-ID": vector["organization"], "X-Token-ID": vector["token"],
        "X-Token-Permissions": vector["permissions"], "X-Gateway-Assertion": vector["assertion"],
    }
    key = load_pem_public_key(pem)  # as GATEWAY_PUBLIC_KEYS has it
    print(identity(headers, key, vector["audience"], now=lambda: at))
    for name in headers:
        try:
            identity(headers | {name: headers[name] + "x"}, key, vector["audience"], now=lambda: at)
        except (ValueError, InvalidSignature):
            continue
        raise SystemExit(f"another {name} is accepted")
