"""Webhooks of a running service, verified by the reference library of Standard Webhooks.

webhooks.py URL TOKEN PORT [COMMAND…]: receives at the port what the service at the URL sends. The command, of another library, gets
each message as JSON and the secret, and ends with 0 if it is right.
"""

import json
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

url, token, port, *command = sys.argv[1:]
received = []
arrived = threading.Condition()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        with arrived:
            received.append((body, {name.lower(): value for name, value in self.headers.items()}))
            arrived.notify_all()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    request = urllib.request.Request(url + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def message():
    with arrived:
        assert arrived.wait_for(lambda: received, timeout=20), "no message within 20 seconds"
        return received.pop(0)


def is_right(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
        by_python = True
    except WebhookVerificationError:
        by_python = False
    if command:
        given = json.dumps({"secret": secret, "body": body, "headers": headers})
        by_other = subprocess.run(command, input=given, text=True, capture_output=True).returncode == 0
        assert by_other == by_python, f"the libraries disagree: {by_python} {by_other}"
    return by_python


server = HTTPServer(("127.0.0.1", int(port)), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

hook = call("POST", "/webhooks", {"url": f"http://127.0.0.1:{port}/hook", "types": ["product.*"]})
first = hook["secret"]
call("POST", f"/webhooks/{hook['id']}/test", {})
body, headers = message()
assert is_right(first, body, headers), headers
assert json.loads(body)["type"] == "webhook.test", body
for wrong in [(first, body + " ", headers), (first, body, {**headers, "webhook-id": "8"})]:
    assert not is_right(*wrong)
assert not is_right("whsec_" + "A" * 43 + "=", body, headers)

# An event, with letters that are more than one byte.
call("POST", "/products", {"name": "Lämpchen 💡 \"7\"", "price": 7})
body, headers = message()
event = json.loads(body)
assert is_right(first, body, headers), headers
assert event["type"] == "product.created" and event["data"]["name"] == "Lämpchen 💡 \"7\"", body
assert headers["webhook-id"] == event["id"] and event["timestamp"], body

second = call("POST", f"/webhooks/{hook['id']}/rotate", {})["secret"]
call("PATCH", f"/products/{event['record_id']}", {"price": 8})
body, headers = message()
assert first != second and is_right(first, body, headers) and is_right(second, body, headers), headers
assert json.loads(body)["data"]["price"] == 8, body
print("3 messages are verified, 3 wrong ones are refused" + (", by two libraries" if command else ""))
