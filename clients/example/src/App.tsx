import { createSession, crudAuthProvider, crudDataProvider, type CrudDataProvider } from "ra-data-crud-runtime";
import {
  Admin, AutocompleteInput, BooleanInput, Button, Create, DataTable, Edit, EditGuesser, List, ListGuesser, NumberInput,
  ReferenceField, ReferenceInput, Resource, SimpleForm, TextInput, useDataProvider, useNotify, useRecordContext, useRefresh,
} from "react-admin";

const session = createSession("/api", { storage: "session" });
const dataProvider = crudDataProvider("/api", { fetch: session.fetch });
const authProvider = crudAuthProvider(session);

const Category = () => (
  <ReferenceInput source="category_id" reference="categories" sort={{ field: "name", order: "ASC" }}>
    <AutocompleteInput label="Category" filterToQuery={(text: string) => ({ name__icontains: text })} />
  </ReferenceInput>
);

const RestoreButton = () => {
  const { restore } = useDataProvider<CrudDataProvider>();
  const [notify, refresh, product] = [useNotify(), useRefresh(), useRecordContext()];
  const onClick = () =>
    restore("products", { id: product!.id }).then(refresh, (error: Error) => notify(error.message, { type: "error" }));
  return product?.is_deleted ? <Button label="Restore" onClick={onClick} /> : null;
};

const filters = [
  <TextInput source="q" label="Search" alwaysOn />,
  <NumberInput source="price__gte" label="Price from" alwaysOn />,
  <BooleanInput source="only_deleted" label="Deleted" alwaysOn />,
];

const Products = () => (
  <List filters={filters} sort={{ field: "created_at", order: "DESC" }}>
    <DataTable rowClick={(_id, _resource, product) => (product.is_deleted ? false : "edit")}>
      <DataTable.Col source="name" />
      <DataTable.NumberCol source="price" />
      <DataTable.NumberCol source="stock" disableSort />
      <DataTable.Col source="category_id" label="Category" disableSort>
        <ReferenceField source="category_id" reference="categories" />
      </DataTable.Col>
      <DataTable.Col label=""><RestoreButton /></DataTable.Col>
    </DataTable>
  </List>
);

const Product = () => (
  <SimpleForm>
    <TextInput source="name" />
    <TextInput source="description" multiline fullWidth />
    <NumberInput source="price" />
    <NumberInput source="stock" />
    <Category />
  </SimpleForm>
);

const App = () => (
  <Admin dataProvider={dataProvider} authProvider={authProvider} disableTelemetry>
    <Resource name="products" list={Products} recordRepresentation="name"
      edit={<Edit mutationMode="pessimistic"><Product /></Edit>} create={<Create redirect="list"><Product /></Create>} />
    <Resource name="categories" list={ListGuesser} edit={EditGuesser} recordRepresentation="name" />
    <Resource name="orders" list={ListGuesser} recordRepresentation="order_number" />
  </Admin>
);

export default App;
