import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: "../support/shop.ts",
    testTimeout: 120_000,
    // The files share one shop.
    fileParallelism: false,
  },
});
