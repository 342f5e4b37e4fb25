// Parts of an operation that are folded away until they are asked for: what a list filters by, and the answers to mistakes.

// A button, and what it shows and hides.
const folded = (React, text, whole, short) =>
  function Folded(props) {
    const [isOpen, setOpen] = React.useState(false);
    const button = React.createElement(
      "button",
      {
        className: "btn",
        style: { margin: "0 20px 12px" },
        type: "button",
        "aria-expanded": isOpen,
        onClick: () => setOpen(!isOpen),
      },
      text(props, isOpen),
    );
    return React.createElement(React.Fragment, null, isOpen ? whole(props) : short(props), button);
  };

// The names of the parameters that filter: those with an operator, such as `price__gt`, and the fields that have some.
const filters = (parameters) => {
  const names = parameters.map((parameter) => parameter.get("name")).toArray();
  const fields = new Set(names.filter((name) => name.includes("__")).map((name) => name.split("__")[0]));
  return new Set(names.filter((name) => fields.has(name.split("__")[0])));
};

// Folds the filters of a list, of which it may have a hundred.
const wrapParameters = (Original, { React }) => {
  const element = (props) => React.createElement(Original, props);
  const Folded = folded(
    React,
    ({ hidden }, isOpen) => (isOpen ? "Hide the filters" : `Show ${hidden.size} filters`),
    ({ props }) => element(props),
    ({ props, hidden }) =>
      element({ ...props, parameters: props.parameters.filter((parameter) => !hidden.has(parameter.get("name"))) }),
  );
  return (props) => {
    const hidden = filters(props.parameters);
    return hidden.size > 0 ? React.createElement(Folded, { props, hidden }) : element(props);
  };
};

const isError = (status) => /^[45]/.test(status);

// Folds the answers to mistakes, which are alike for all operations.
const wrapResponses = (Original, { React }) => {
  const element = (props) => React.createElement(Original, props);
  const Folded = folded(
    React,
    ({ hidden }, isOpen) => (isOpen ? "Hide the errors" : `Show the errors: ${hidden.join(", ")}`),
    ({ props }) => element(props),
    ({ props }) => element({ ...props, responses: props.responses.filter((_, status) => !isError(status)) }),
  );
  return (props) => {
    const hidden = props.responses.keySeq().filter(isError).toArray();
    const isAll = hidden.length === props.responses.size;
    return hidden.length > 0 && !isAll ? React.createElement(Folded, { props, hidden }) : element(props);
  };
};

export const fold = () => ({ wrapComponents: { parameters: wrapParameters, responses: wrapResponses } });
