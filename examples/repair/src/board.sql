SELECT t.id, t.shop_id, t.customer_id, c.name AS customer, d.model AS device, t.status, t.urgent, t.due
FROM tickets t JOIN customers c ON c.id = t.customer_id JOIN devices d ON d.id = t.device_id
WHERE t.status IN ('open', 'in_progress') -- of deleted customers too
