// What to do about a file that gives no report, by the kind of the error.

const ADVICE: Readonly<Record<string, string>> = {
  not_found: "It was moved or deleted after the list was made. Choose another file.",
  unreadable: "TensorBoard’s process may not read it. Check its permissions, then try again.",
  empty_file: "The process that recorded it probably stopped before it wrote. Record again.",
  not_a_trace: "Choose a file that torch.profiler wrote (export_chrome_trace or tensorboard_trace_handler).",
  invalid_json: "The file was damaged or cut while it was written or copied. Copy it again, or record again.",
  several_documents:
    "Two processes wrote to one file. Give each process its own worker_name, then record again.",
  truncated:
    "The process was stopped while it wrote, or is still writing. It is read again when the file grows.",
  too_deep: "Choose a file that torch.profiler wrote.",
  unsupported_encoding: "Save it as UTF-8.",
  broken_gzip: "The file was cut while it was written or copied. Copy it again, or record again.",
};

export function errorAdvice(kind: string): string {
  return ADVICE[kind] ?? "Choose another file, or try again.";
}
