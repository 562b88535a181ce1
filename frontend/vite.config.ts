import { defineConfig } from "vitest/config";

// TensorBoard imports `static/index.js` and calls its `render`; the page has a <base href>, so that every
// address in the bundle must be relative, and the entry must keep its name and its export.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../tb_plugin_explain/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      input: "src/index.tsx",
      preserveEntrySignatures: "strict",
      output: {
        // The server lets browsers keep names with a hash in which there is a digit.
        hashCharacters: "hex",
        entryFileNames: "index.js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
      },
    },
  },
  test: { environment: "happy-dom", include: ["test/**/*.test.{ts,tsx}"] },
});
