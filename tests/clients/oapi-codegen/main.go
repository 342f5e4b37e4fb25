// The round trips of a client by oapi-codegen.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"time"

	"shop/client"
)

const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func check(holds bool, what string, found any) {
	if !holds {
		panic(fmt.Sprintf("%s: %v", what, found))
	}
}

func main() {
	ctx := context.Background()
	api, err := client.NewClientWithResponses(os.Args[1])
	check(err == nil, "client", err)

	// A login gives the token of the requests after it.
	login, err := api.LoginWithResponse(ctx, client.TokenRequest{Username: "admin", Password: &os.Args[2]})
	check(err == nil && login.JSON200 != nil, "login", err)
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+login.JSON200.AccessToken)
		return nil
	}
	api, err = client.NewClientWithResponses(os.Args[1], client.WithRequestEditorFn(authorize))
	check(err == nil, "client", err)

	// Creates; what has a default may be left out.
	prefix := fmt.Sprintf("oapi-codegen-%d", time.Now().UnixNano())
	var numbers []string
	var orders []*client.Order
	var etags []string
	for index, price := range []float64{10, 10, 5} {
		number := fmt.Sprintf("%s-%d", prefix, index+1)
		body := client.OrderCreate{OrderNumber: number, TotalPrice: price}
		created, err := api.CreateOrderWithResponse(ctx, nil, body)
		check(err == nil && created.JSON201 != nil && created.JSON201.Status == client.OrderStatusPending, "create", err)
		numbers, orders = append(numbers, number), append(orders, created.JSON201)
		etags = append(etags, created.HTTPResponse.Header.Get("ETag"))
	}
	first, etag := orders[0], etags[0]

	// A list of values, and two sort keys.
	sort := client.OrderSort{"-total_price", "order_number"}
	list, err := api.ListOrdersWithResponse(ctx, &client.ListOrdersParams{OrderNumberIn: &numbers, Sort: &sort})
	check(err == nil && list.JSON200 != nil && len(list.JSON200.Data) == 3 && *list.JSON200.Total == 3, "list", err)
	for index, order := range list.JSON200.Data {
		check(order.OrderNumber == numbers[index], "order", order)
	}

	// A change of the version that was read, and one of an older version.
	paid := client.OrderStatusPaid
	params := client.PatchOrderParams{IfMatch: &etag}
	changed, err := api.PatchOrderWithResponse(ctx, first.Id, &params, client.OrderPatch{Status: &paid})
	check(err == nil && changed.JSON200 != nil && changed.JSON200.Status == client.OrderStatusPaid, "update", err)
	stale, err := api.PatchOrderWithResponse(ctx, first.Id, &params, client.OrderPatch{Status: &paid})
	check(err == nil && stale.ApplicationproblemJSON412 != nil, "stale", err)
	check(stale.ApplicationproblemJSON412.Code == "precondition_failed", "stale", stale.Status())

	// Delete and restore.
	deleted, err := api.DeleteOrderWithResponse(ctx, first.Id, nil)
	check(err == nil && deleted.JSON200 != nil && deleted.JSON200.IsDeleted, "delete", err)
	missing, err := api.GetOrderWithResponse(ctx, first.Id, nil)
	check(err == nil && missing.ApplicationproblemJSON404 != nil, "deleted", err)
	restored, err := api.RestoreOrderWithResponse(ctx, first.Id, nil)
	check(err == nil && restored.JSON200 != nil && restored.JSON200.DeletedAt == nil, "restore", err)

	// A batch of which one item fails.
	items := []client.OrderCreate{
		{OrderNumber: prefix + "-4", TotalPrice: 1},
		{OrderNumber: first.OrderNumber, TotalPrice: 2},
	}
	batch, err := api.BatchCreateOrdersWithResponse(ctx, client.OrderBatchCreate{Items: items})
	check(err == nil && batch.JSON207 != nil && batch.JSON207.Created == 1, "batch", err)
	check(batch.JSON207.Errors[0].Index == 1 && batch.JSON207.Errors[0].Code == "conflict", "batch", batch.Status())

	// A body that is refused, with the place of each error.
	refused, err := api.CreateOrderWithResponse(ctx, nil, client.OrderCreate{OrderNumber: "bad\x00number", TotalPrice: 1})
	check(err == nil && refused.ApplicationproblemJSON422 != nil, "refused", err)
	found := refused.ApplicationproblemJSON422
	check(found.Code == "validation_failed" && *(*found.Errors)[0].Pointer == "/order_number", "refused", found)

	// A file is sent as its bytes, and read as them.
	bytesOf, err := base64.StdEncoding.DecodeString(picture)
	check(err == nil, "picture", err)
	category, err := api.CreateCategoryWithResponse(ctx, nil, client.CategoryCreate{Name: prefix})
	check(err == nil && category.JSON201 != nil, "category", err)
	lamp := client.ProductCreate{Name: "Lamp", Price: 1, Stock: 1, CategoryId: category.JSON201.Id}
	product, err := api.CreateProductWithResponse(ctx, nil, lamp)
	check(err == nil && product.JSON201 != nil, "product", err)
	id, name := product.JSON201.Id, `attachment; filename="lamp.png"`
	named := client.UploadProductPhotoParams{ContentDisposition: &name}
	uploaded, err := api.UploadProductPhotoWithBodyWithResponse(ctx, id, &named, "image/png", bytes.NewReader(bytesOf))
	check(err == nil && uploaded.JSON200 != nil && uploaded.JSON200.Photo.Name == "lamp.png", "upload", err)
	downloaded, err := api.DownloadProductPhotoWithResponse(ctx, id, nil)
	check(err == nil && bytes.Equal(downloaded.Body, bytesOf), "download", err)

	fmt.Println("oapi-codegen: ok")
}
