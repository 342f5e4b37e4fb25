// Verifies a message by the JavaScript library of Standard Webhooks: `{secret, body, headers}` on standard input.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, body, headers } = JSON.parse(readFileSync(0, "utf8"));
new Webhook(secret).verify(body, headers);
