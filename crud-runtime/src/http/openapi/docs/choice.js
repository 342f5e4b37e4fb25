// A list of which nothing is chosen any more is not sent: Swagger UI takes it for an empty list, which it then refuses.

const chosen = (value) => (Array.isArray(value) ? value.filter((item) => item !== "") : value);
const isEmpty = (value) => Array.isArray(value) && value.length === 0;

const wrapRow = (Original, { React }) =>
  function Row(props) {
    const onChange = (parameter, value, ...rest) =>
      props.onChange(parameter, isEmpty(chosen(value)) ? null : chosen(value), ...rest);
    return React.createElement(Original, { ...props, onChange });
  };

export const choice = () => ({ wrapComponents: { parameterRow: wrapRow } });
