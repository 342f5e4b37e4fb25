SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  // Swagger UI would otherwise send the document's address to a validator elsewhere.
  validatorUrl: null,
});
