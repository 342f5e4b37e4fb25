// The chosen theme, before anything is shown.
document.documentElement.dataset.theme = localStorage.getItem("crud-admin.theme") ?? "";
