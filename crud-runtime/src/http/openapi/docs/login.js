// A form that logs in by name and password, beside the button that takes a token. Swagger UI's own password flow posts a form,
// and the login of the service takes JSON.

// The name of the scheme of tokens; others, such as API keys, may be of the type `http` too.
const TOKENS = "bearerAuth";

// The path of the login, relative to the page, and the name of the scheme of its tokens; none without a login.
const loginOf = (document) => {
  const path = document.get("paths")?.findKey((item) => item.getIn(["post", "operationId"]) === "login");
  const isOfTokens = document.getIn(["components", "securitySchemes", TOKENS, "type"]) === "http";
  return path && isOfTokens ? { path: path.slice(1), scheme: TOKENS } : null;
};

// The token of a user, or the reason why there is none.
const logIn = async (path, credentials) => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(credentials),
  });
  const answer = await response.json();
  return response.ok ? { token: answer.access_token } : { reason: answer.detail ?? `status ${response.status}` };
};

const wrapAuthorizeButton = (Original, system) => {
  const { React } = system;
  const input = (name, type, autoComplete) =>
    React.createElement("input", { name, type, autoComplete, placeholder: name, "aria-label": name, required: true });

  function Login({ login }) {
    const [said, say] = React.useState("");
    const submit = async (event) => {
      event.preventDefault();
      const form = event.target;
      const credentials = { username: form.elements.username.value, password: form.elements.password.value };
      try {
        const { token, reason } = await logIn(login.path, credentials);
        say(token ? `logged in as ${credentials.username}` : reason);
        if (token) {
          const schema = system.specSelectors.securityDefinitions().get(login.scheme);
          system.authActions.authorizeWithPersistOption({
            [login.scheme]: { name: login.scheme, schema, value: token },
          });
          form.reset();
        }
      } catch {
        say("the service does not answer");
      }
    };
    return React.createElement(
      "form",
      { onSubmit: submit, style: { alignItems: "center", display: "flex", gap: "8px", marginRight: "8px" } },
      input("username", "text", "username"),
      input("password", "password", "current-password"),
      React.createElement("button", { className: "btn", type: "submit" }, "Log in"),
      React.createElement("span", { role: "status" }, said),
    );
  }

  return (props) => {
    const login = loginOf(system.specSelectors.specJson());
    const form = login && React.createElement(Login, { key: "login", login });
    return React.createElement(React.Fragment, null, form, React.createElement(Original, props));
  };
};

export const login = () => ({ wrapComponents: { authorizeBtn: wrapAuthorizeButton } });
