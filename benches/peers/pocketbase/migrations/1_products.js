// The benchmark's tables, with the indexes of the other servers, open to every client; batches of up to 200 requests.
migrate((app) => {
  const open = { listRule: "", viewRule: "", createRule: "", updateRule: "", deleteRule: "" };
  const categories = new Collection({
    type: "base",
    name: "categories",
    ...open,
    fields: [
      { name: "name", type: "text", required: true },
      { name: "description", type: "text" },
    ],
    indexes: ["CREATE UNIQUE INDEX categories_name ON categories (name)"],
  });
  app.save(categories);
  const products = new Collection({
    type: "base",
    name: "products",
    ...open,
    fields: [
      { name: "name", type: "text", required: true, max: 200 },
      { name: "description", type: "text" },
      { name: "price", type: "number", min: 0 },
      { name: "stock", type: "number", onlyInt: true },
      { name: "category_id", type: "relation", required: true, maxSelect: 1, collectionId: categories.id },
      { name: "created", type: "autodate", onCreate: true },
      { name: "updated", type: "autodate", onCreate: true, onUpdate: true },
    ],
    indexes: ["name", "price", "stock", "category_id", "created"].map(
      (column) => `CREATE INDEX products_${column} ON products (${column})`,
    ),
  });
  app.save(products);
  const settings = app.settings();
  settings.batch.enabled = true;
  settings.batch.maxRequests = 200;
  app.save(settings);
});
