import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The page and the service are one origin to the browser.
const target = process.env.SHOP_URL ?? "http://localhost:8000";
const proxy = { "/api": { target, rewrite: (path: string) => path.replace(/^\/api/, "") } };

export default defineConfig({ plugins: [react()], server: { proxy }, preview: { proxy } });
