"""Prints the access token of an administrator, signed by the secret that is given: valid for a day, longer than any run."""

import base64
import hashlib
import hmac
import json
import sys
import time


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


now = int(time.time())
claims = {"sub": "1", "roles": ["admin"], "permissions": [], "iat": now, "exp": now + 86400, "type": "access"}
text = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
print(f"{text}.{encoded(hmac.new(sys.argv[1].encode(), text.encode(), hashlib.sha256).digest())}")
