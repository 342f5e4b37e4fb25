// Reads a document as JSON, and resolves an operation within the part of the document that it refers to: Swagger UI reads it as
// YAML, and goes through the whole of it for each operation that is opened.

const COMPONENT = /^#\/components\/([^/]+)\/([^/]+)$/;

// Adds the components that a value refers to.
const addReferred = (value, document, components) => {
  if (value === null || typeof value !== "object") return;
  const [, kind, name] = (typeof value.$ref === "string" && COMPONENT.exec(value.$ref)) || [];
  const component = document.components?.[kind]?.[name];
  if (component && !components[kind]?.[name]) {
    components[kind] = { ...components[kind], [name]: component };
    addReferred(component, document, components);
  }
  for (const member of Object.values(value)) addReferred(member, document, components);
};

// The document with nothing but the value at this path, what it refers to, and the parameters that all operations of its path
// have.
const partOf = (document, path) => {
  const part = { ...document, paths: {}, components: {} };
  let [from, to] = [document, part];
  for (const [index, key] of path.entries()) {
    from = from?.[key];
    if (from === undefined) return part;
    if (index === path.length - 1) to[key] = from;
    else to = to[key] = Array.isArray(from) ? [] : {};
  }
  const parameters = path[0] === "paths" ? document.paths[path[1]]?.parameters : undefined;
  if (parameters && path.length > 2) part.paths[path[1]].parameters = parameters;
  addReferred([from, parameters], document, part.components);
  return part;
};

export const part = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson: (original, system) => (text) => {
          try {
            return system.specActions.updateJsonSpec(JSON.parse(text ?? system.specSelectors.specStr()));
          } catch {
            return original(text);
          }
        },
      },
    },
  },
  afterLoad({ fn }) {
    const resolve = fn.resolveSubtree;
    fn.resolveSubtree = (document, path, options) => resolve(partOf(document, path), path, options);
  },
});
