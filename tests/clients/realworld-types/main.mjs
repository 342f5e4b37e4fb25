// The types that openapi-typescript writes for a document: no body, parameter or answer is `unknown`, `any` or an object
// without members.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import openapiTS from "openapi-typescript";
import ts from "typescript";

// Whether a type says nothing of its values; `Record<string, never>` is an object without members.
function isUntyped(node) {
  const isEmptyRecord =
    ts.isTypeReferenceNode(node) &&
    node.typeName.text === "Record" &&
    node.typeArguments?.[1]?.kind === ts.SyntaxKind.NeverKeyword;
  const isEmptyLiteral = ts.isTypeLiteralNode(node) && node.members.length === 0;
  return isEmptyRecord || isEmptyLiteral || [ts.SyntaxKind.UnknownKeyword, ts.SyntaxKind.AnyKeyword].includes(node.kind);
}

// Places of untyped types. Every answer's headers have an index of unknown ones, which the document does not state.
function find(node, place, found) {
  if (ts.isIndexSignatureDeclaration(node) && place.at(-1) === "headers") return;
  if (isUntyped(node)) found.push(place.join("/"));
  const name = ts.isPropertySignature(node) ? (node.name.text ?? node.name.getText?.()) : undefined;
  const within = name === undefined ? place : [...place, String(name)];
  ts.forEachChild(node, (child) => find(child, within, found));
}

async function untyped(document) {
  const found = [];
  // Aliases such as `webhooks` are the generator's own.
  const interfaces = (await openapiTS(document)).filter(ts.isInterfaceDeclaration);
  for (const declaration of interfaces) find(declaration, [declaration.name.text], found);
  return { found, names: interfaces.map((declaration) => declaration.name.text) };
}

const answer = (schema) => ({ description: "", content: { "application/json": { schema } } });
for (const schema of [{}, { type: "object" }, { type: "array", items: {} }, { additionalProperties: true }]) {
  const get = { operationId: "get", responses: { 200: answer(schema) } };
  const document = { openapi: "3.1.0", info: { title: "", version: "" }, paths: { "/": { get } } };
  const place = "operations/get/responses/200/content/application/json";
  assert.deepEqual((await untyped(document)).found, [place], JSON.stringify(schema));
}

const { found, names } = await untyped(await readFile(process.argv[2], "utf8"));
assert.deepEqual(names, ["paths", "components", "operations"]);
// The bounds of a rule are values of any type: a program adds its own.
assert.deepEqual(found, ["components/schemas/ProblemPlace/params"]);
