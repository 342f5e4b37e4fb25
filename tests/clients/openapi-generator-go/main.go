// The round trips of a client by openapi-generator's generator `go`.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	shop "shop/client"
)

const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func check(holds bool, what string, found any) {
	if !holds {
		panic(fmt.Sprintf("%s: %v", what, found))
	}
}

// The problem that a request was refused with.
func problem(err error) shop.Problem {
	var refused *shop.GenericOpenAPIError
	check(errors.As(err, &refused), "not an error of the API", err)
	found, isProblem := refused.Model().(shop.Problem)
	check(isProblem, "not a problem", string(refused.Body()))
	return found
}

func main() {
	ctx := context.Background()
	configuration := shop.NewConfiguration()
	configuration.Servers = shop.ServerConfigurations{{URL: os.Args[1]}}
	client := shop.NewAPIClient(configuration)

	// A login gives the token of the requests after it.
	credentials := shop.NewTokenRequest("admin", os.Args[2])
	tokens, _, err := client.AuthenticationAPI.Login(ctx).TokenRequest(*credentials).Execute()
	check(err == nil, "login", err)
	ctx = context.WithValue(ctx, shop.ContextAccessToken, tokens.AccessToken)
	api := client.OrdersAPI

	// Creates; what has a default may be left out.
	prefix := fmt.Sprintf("openapi-generator-go-%d", time.Now().UnixNano())
	var numbers []string
	var orders []*shop.Order
	var etags []string
	for index, price := range []float64{10, 10, 5} {
		number := fmt.Sprintf("%s-%d", prefix, index+1)
		created, response, err := api.CreateOrder(ctx).OrderCreate(*shop.NewOrderCreate(number, price)).Execute()
		check(err == nil && created.Status == shop.PENDING, "create", err)
		numbers, orders = append(numbers, number), append(orders, created)
		etags = append(etags, response.Header.Get("ETag"))
	}
	first, etag := orders[0], etags[0]

	// A list of values, and two sort keys.
	list, _, err := api.ListOrders(ctx).OrderNumberIn(numbers).Sort([]string{"-total_price", "order_number"}).Execute()
	check(err == nil && len(list.Data) == 3 && *list.Total.Get() == 3, "list", err)
	for index, order := range list.Data {
		check(order.OrderNumber == numbers[index], "order", order)
	}

	// A change of the version that was read, and one of an older version.
	patch := shop.NewOrderPatch()
	patch.SetStatus(shop.PAID)
	changed, _, err := api.PatchOrder(ctx, first.Id).OrderPatch(*patch).IfMatch(etag).Execute()
	check(err == nil && changed.Status == shop.PAID, "update", err)
	_, response, err := api.PatchOrder(ctx, first.Id).OrderPatch(*patch).IfMatch(etag).Execute()
	check(response.StatusCode == http.StatusPreconditionFailed, "stale", response.Status)
	check(problem(err).Code == "precondition_failed", "stale", err)

	// Delete and restore.
	deleted, _, err := api.DeleteOrder(ctx, first.Id).Execute()
	check(err == nil && deleted.IsDeleted, "delete", err)
	_, response, _ = api.GetOrder(ctx, first.Id).Execute()
	check(response.StatusCode == http.StatusNotFound, "deleted", response.Status)
	restored, _, err := api.RestoreOrder(ctx, first.Id).Execute()
	check(err == nil && restored.DeletedAt.Get() == nil, "restore", err)

	// A batch of which one item fails.
	items := []shop.OrderCreate{*shop.NewOrderCreate(prefix+"-4", 1), *shop.NewOrderCreate(first.OrderNumber, 2)}
	batch, response, err := api.BatchCreateOrders(ctx).OrderBatchCreate(*shop.NewOrderBatchCreate(items)).Execute()
	check(err == nil && response.StatusCode == http.StatusMultiStatus && batch.Created == 1, "batch", err)
	check(batch.Errors[0].Index == 1 && batch.Errors[0].Code == "conflict", "batch", batch.Errors)

	// A body that is refused, with the place of each error.
	_, response, err = api.CreateOrder(ctx).OrderCreate(*shop.NewOrderCreate("bad\x00number", 1)).Execute()
	check(response.StatusCode == http.StatusUnprocessableEntity, "refused", response.Status)
	refused := problem(err)
	check(refused.Code == "validation_failed" && *refused.Errors[0].Pointer == "/order_number", "refused", refused)

	// A newer service's answer, with a member that this client does not know.
	order := shop.Order{}
	text, _ := first.MarshalJSON()
	err = order.UnmarshalJSON(append(text[:len(text)-1], []byte(`,"new_member":1}`)...))
	check(err == nil, "a member more", err)

	// A file is sent as its bytes, and read as them.
	bytesOf, err := base64.StdEncoding.DecodeString(picture)
	check(err == nil, "picture", err)
	file, err := os.CreateTemp("", "lamp-*.png")
	check(err == nil, "a temporary file", err)
	defer os.Remove(file.Name())
	_, err = file.Write(bytesOf)
	check(err == nil, "its bytes", err)
	_, err = file.Seek(0, io.SeekStart)
	check(err == nil, "its start", err)
	category, _, err := client.CategoriesAPI.CreateCategory(ctx).CategoryCreate(*shop.NewCategoryCreate(prefix)).Execute()
	check(err == nil, "category", err)
	lamp := *shop.NewProductCreate("Lamp", 1, 1, category.Id)
	product, _, err := client.ProductsAPI.CreateProduct(ctx).ProductCreate(lamp).Execute()
	check(err == nil, "product", err)
	upload := client.ProductsAPI.UploadProductPhoto(ctx, product.Id).Body(file)
	uploaded, _, err := upload.ContentDisposition(`attachment; filename="lamp.png"`).Execute()
	photo := uploaded.GetPhoto()
	check(err == nil && photo.Name == "lamp.png" && photo.Size == int64(len(bytesOf)), "upload", err)
	downloaded, _, err := client.ProductsAPI.DownloadProductPhoto(ctx, product.Id).Execute()
	check(err == nil, "download", err)
	defer os.Remove(downloaded.Name())
	found, err := os.ReadFile(downloaded.Name())
	check(err == nil && bytes.Equal(found, bytesOf), "download", err)

	fmt.Println("openapi-generator-go: ok")
}
