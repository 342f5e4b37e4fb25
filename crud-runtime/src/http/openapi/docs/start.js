import { choice } from "./choice.js";
import { fold } from "./fold.js";
import { login } from "./login.js";
import { part } from "./part.js";

// The colours that the system asks for.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  // The schemas, of which there are hundreds, are drawn when somebody asks for them.
  defaultModelsExpandDepth: 0,
  // A box that finds operations by their tag.
  filter: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  plugins: [choice, fold, login, part],
  tryItOutEnabled: true,
  // Swagger UI would otherwise send the document's address to a validator elsewhere.
  validatorUrl: null,
});
