// The round trips of a client by openapi-generator's generator `java`, library `native`.

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.CategoriesApi;
import org.openapitools.client.api.OrdersApi;
import org.openapitools.client.api.ProductsApi;
import org.openapitools.client.model.BatchError;
import org.openapitools.client.model.CategoryCreate;
import org.openapitools.client.model.Order;
import org.openapitools.client.model.OrderBatchCreate;
import org.openapitools.client.model.OrderCreate;
import org.openapitools.client.model.OrderPatch;
import org.openapitools.client.model.OrderStatus;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.Product;
import org.openapitools.client.model.ProductCreate;
import org.openapitools.client.model.TokenRequest;

public class Main {
    static final byte[] PICTURE = Base64.getDecoder().decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");

    interface Request {
        void send() throws ApiException;
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    /** The problem that a request is refused with. */
    static Problem refusal(int status, Request request) throws Exception {
        try {
            request.send();
        } catch (ApiException refused) {
            check(refused.getCode() == status, "status " + refused.getCode());
            return JSON.getDefault().getMapper().readValue(refused.getResponseBody(), Problem.class);
        }
        throw new IllegalStateException("not refused");
    }

    static OrderCreate order(String number, double price) {
        return new OrderCreate().orderNumber(number).totalPrice(price);
    }

    public static void main(String[] arguments) throws Exception {
        // A login gives the token of the requests after it.
        var client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        var credentials = new TokenRequest().username("admin").password(arguments[1]);
        var tokens = new AuthenticationApi(client).login(
            AuthenticationApi.APILoginRequest.newBuilder().tokenRequest(credentials).build());
        client.setRequestInterceptor(
            request -> request.header("Authorization", "Bearer " + tokens.getAccessToken()));
        var api = new OrdersApi(client);

        // Creates; what has a default may be left out.
        var prefix = "openapi-generator-java-" + System.nanoTime();
        var numbers = new ArrayList<String>();
        var orders = new ArrayList<Order>();
        var etags = new ArrayList<String>();
        for (double price : new double[] {10, 10, 5}) {
            var number = prefix + "-" + (numbers.size() + 1);
            var created = api.createOrderWithHttpInfo(
                OrdersApi.APICreateOrderRequest.newBuilder().orderCreate(order(number, price)).build());
            check(created.getStatusCode() == 201 && created.getData().getStatus() == OrderStatus.PENDING, "create");
            numbers.add(number);
            orders.add(created.getData());
            etags.add(created.getHeaders().get("etag").get(0));
        }
        var first = orders.get(0);

        // A list of values, and two sort keys.
        var list = api.listOrders(OrdersApi.APIListOrdersRequest.newBuilder()
            .orderNumberIn(numbers).sort(List.of("-total_price", "order_number")).build());
        check(list.getData().stream().map(Order::getOrderNumber).toList().equals(numbers), "list");
        check(list.getTotal() == 3, "total");

        // A change of the version that was read, and one of an older version.
        var update = OrdersApi.APIPatchOrderRequest.newBuilder()
            .id(first.getId()).ifMatch(etags.get(0)).orderPatch(new OrderPatch().status(OrderStatus.PAID)).build();
        check(api.patchOrder(update).getStatus() == OrderStatus.PAID, "update");
        var stale = refusal(412, () -> api.patchOrder(update));
        check(stale.getCode() == Problem.CodeEnum.PRECONDITION_FAILED, "stale");

        // Delete and restore.
        var deletion = OrdersApi.APIDeleteOrderRequest.newBuilder().id(first.getId()).build();
        check(api.deleteOrder(deletion).getIsDeleted(), "delete");
        refusal(404, () -> api.getOrder(OrdersApi.APIGetOrderRequest.newBuilder().id(first.getId()).build()));
        var restored = api.restoreOrder(OrdersApi.APIRestoreOrderRequest.newBuilder().id(first.getId()).build());
        check(restored.getDeletedAt() == null, "restore");

        // A batch of which one item fails.
        var items = List.of(order(prefix + "-4", 1), order(first.getOrderNumber(), 2));
        var batch = api.batchCreateOrdersWithHttpInfo(OrdersApi.APIBatchCreateOrdersRequest.newBuilder()
            .orderBatchCreate(new OrderBatchCreate().items(items)).build());
        check(batch.getStatusCode() == 207 && batch.getData().getCreated() == 1, "batch");
        var failed = batch.getData().getErrors().get(0);
        check(failed.getIndex() == 1 && failed.getCode() == BatchError.CodeEnum.CONFLICT, "failed item");

        // A body that is refused, with the place of each error.
        var refused = refusal(422, () -> api.createOrder(
            OrdersApi.APICreateOrderRequest.newBuilder().orderCreate(order("bad\0number", 1)).build()));
        check(refused.getCode() == Problem.CodeEnum.VALIDATION_FAILED, "refused");
        check(refused.getErrors().get(0).getPointer().equals("/order_number"), "pointer");

        // A file is sent as its bytes, which this generator writes as JSON: its method is not used. It is read as bytes.
        var category = new CategoriesApi(client).createCategory(
            CategoriesApi.APICreateCategoryRequest.newBuilder().categoryCreate(new CategoryCreate().name(prefix)).build());
        var products = new ProductsApi(client);
        var lamp = new ProductCreate().name("Lamp").price(1.0).stock(1).categoryId(category.getId());
        var id = products.createProduct(
            ProductsApi.APICreateProductRequest.newBuilder().productCreate(lamp).build()).getId();
        var upload = HttpRequest.newBuilder(URI.create(arguments[0] + "/products/" + id + "/photo"))
            .header("Authorization", "Bearer " + tokens.getAccessToken())
            .header("Content-Disposition", "attachment; filename=\"lamp.png\"")
            .PUT(HttpRequest.BodyPublishers.ofByteArray(PICTURE))
            .build();
        var answer = HttpClient.newHttpClient().send(upload, BodyHandlers.ofString());
        check(answer.statusCode() == 200, "upload " + answer.body());
        var uploaded = JSON.getDefault().getMapper().readValue(answer.body(), Product.class);
        check(uploaded.getPhoto().getName().equals("lamp.png"), "name");
        var downloaded = products.downloadProductPhoto(
            ProductsApi.APIDownloadProductPhotoRequest.newBuilder().id(id).build());
        check(Arrays.equals(Files.readAllBytes(downloaded.toPath()), PICTURE), "download");

        System.out.println("openapi-generator-java: ok");
    }
}
