"""The round trips of a client by openapi-python-client."""

import base64
import sys
import time
from io import BytesIO

from client import AuthenticatedClient, Client
from client.api.authentication import login
from client.api.orders import (
    batch_create_orders,
    create_order,
    delete_order,
    get_order,
    list_orders,
    patch_order,
    restore_order,
)
from client.api.categories import create_category
from client.api.products import create_product, download_product_photo, upload_product_photo
from client.models import (
    Category,
    CategoryCreate,
    OrderSortItem,
    Order,
    OrderBatchCreate,
    OrderBatchCreated,
    OrderCreate,
    OrderList,
    OrderPatch,
    OrderStatus,
    Problem,
    ProblemCode,
    Product,
    ProductCreate,
    StoredFile,
    TokenRequest,
    TokenResponse,
)
from client.types import File

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def main(url: str, password: str) -> None:
    # A login gives the token of the requests after it.
    credentials = TokenRequest(username="admin", password=password)
    tokens = login.sync(client=Client(base_url=url), body=credentials)
    assert isinstance(tokens, TokenResponse)
    client = AuthenticatedClient(base_url=url, token=tokens.access_token)

    # Creates; what has a default may be left out.
    prefix = f"openapi-python-client-{time.time_ns()}"
    numbers = [f"{prefix}-{number}" for number in (1, 2, 3)]
    orders: list[Order] = []
    etags: list[str] = []
    for number, price in zip(numbers, (10, 10, 5)):
        created = create_order.sync_detailed(client=client, body=OrderCreate(order_number=number, total_price=price))
        assert created.status_code == 201 and isinstance(created.parsed, Order)
        assert created.parsed.status == OrderStatus.PENDING
        orders.append(created.parsed)
        etags.append(created.headers["etag"])
    first, etag = orders[0], etags[0]

    # A list of values, and two sort keys.
    keys = [OrderSortItem.TOTAL_PRICE_DESC, OrderSortItem.ORDER_NUMBER]
    found = list_orders.sync(client=client, order_number_in=numbers, sort=keys)
    assert isinstance(found, OrderList)
    assert [order.order_number for order in found.data] == numbers
    assert found.total == 3

    # A change of the version that was read, and one of an older version.
    changed = patch_order.sync(first.id, client=client, body=OrderPatch(status=OrderStatus.PAID), if_match=etag)
    assert isinstance(changed, Order) and changed.status == OrderStatus.PAID
    stale = patch_order.sync_detailed(first.id, client=client, body=OrderPatch(status=OrderStatus.SHIPPED), if_match=etag)
    assert stale.status_code == 412 and isinstance(stale.parsed, Problem)
    assert stale.parsed.code == ProblemCode.PRECONDITION_FAILED

    # Delete and restore.
    deleted = delete_order.sync(first.id, client=client)
    assert isinstance(deleted, Order) and deleted.is_deleted
    assert get_order.sync_detailed(first.id, client=client).status_code == 404
    restored = restore_order.sync(first.id, client=client)
    assert isinstance(restored, Order) and restored.deleted_at is None

    # A batch of which one item fails.
    items = [
        OrderCreate(order_number=f"{prefix}-4", total_price=1),
        OrderCreate(order_number=first.order_number, total_price=2),
    ]
    batch = batch_create_orders.sync_detailed(client=client, body=OrderBatchCreate(items=items))
    assert batch.status_code == 207 and isinstance(batch.parsed, OrderBatchCreated)
    assert batch.parsed.created == 1
    assert [(error.index, error.code.value) for error in batch.parsed.errors] == [(1, "conflict")]

    # A body that is refused, with the place of each error.
    refused = create_order.sync(client=client, body=OrderCreate(order_number="bad\0number", total_price=1))
    assert isinstance(refused, Problem)
    assert refused.code == ProblemCode.VALIDATION_FAILED
    assert isinstance(refused.errors, list) and refused.errors[0].pointer == "/order_number"

    # A file is sent as its bytes, and read as them.
    category = create_category.sync(client=client, body=CategoryCreate(name=prefix))
    assert isinstance(category, Category)
    lamp = ProductCreate(name="Lamp", price=1, stock=1, category_id=category.id)
    product = create_product.sync(client=client, body=lamp)
    assert isinstance(product, Product)
    uploaded = upload_product_photo.sync(
        product.id,
        client=client,
        body=File(payload=BytesIO(PICTURE)),
        content_disposition='attachment; filename="lamp.png"',
    )
    assert isinstance(uploaded, Product) and isinstance(uploaded.photo, StoredFile)
    assert uploaded.photo.name == "lamp.png" and uploaded.photo.size == len(PICTURE)
    downloaded = download_product_photo.sync(product.id, client=client)
    assert isinstance(downloaded, File) and downloaded.payload.read() == PICTURE

    print("openapi-python-client: ok")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
