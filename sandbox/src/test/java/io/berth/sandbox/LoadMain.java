package io.berth.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Loads a sandbox as a large cluster would and prints what it costs: {@code LoadMain [nodes] [pods]
 * [clients]}.
 */
final class LoadMain {
  private LoadMain() {}

  /** Client and server share this process and its processors; the rates count both. */
  public static void main(String[] arguments) throws InterruptedException, IOException {
    int nodes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5_000;
    int pods = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
    int clients = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 16;
    try (Sandbox sandbox = Sandbox.start(SandboxOptions.defaults())) {
      TestClient client = new TestClient(sandbox);
      AtomicInteger watched = new AtomicInteger();
      try (InputStream watch = client.stream("/api/v1/pods?watch=true")) {
        Thread watcher = Thread.ofVirtual().start(() -> countLines(watch, watched));
        run("nodes created", nodes, clients, i -> client.post("/api/v1/nodes", node(i)));
        run(
            "pods created",
            pods,
            clients,
            i -> client.post("/api/v1/namespaces/default/pods", pod(i)));
        run(
            "pods bound",
            pods,
            clients,
            i ->
                client.post(
                    "/api/v1/namespaces/default/pods/p" + i + "/binding", binding(i, nodes)));
        run(
            "lists by node",
            2_000,
            clients,
            i -> client.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn" + i % nodes));
        long start = System.nanoTime();
        int bytes = client.get("/api/v1/pods").response().body().length;
        System.out.printf(
            "list of all pods: %d MiB in %d ms%n",
            bytes >> 20, (System.nanoTime() - start) / 1_000_000);
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        System.out.printf(
            "heap after collection: %d MiB%n",
            (runtime.totalMemory() - runtime.freeMemory()) >> 20);
        System.out.printf("events seen by the watch: %d%n", watched.get());
        watcher.interrupt();
      }
    }
  }

  private static void countLines(InputStream in, AtomicInteger lines) {
    byte[] buffer = new byte[65536];
    try {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        for (int i = 0; i < read; i++) {
          if (buffer[i] == '\n') {
            lines.incrementAndGet();
          }
        }
      }
    } catch (IOException e) {
      System.out.println("the watch ended: " + e.getMessage());
    }
  }

  private static void run(String what, int count, int clients, IntConsumer action)
      throws InterruptedException {
    long start = System.nanoTime();
    long processor = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    AtomicInteger next = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(clients);
    for (int c = 0; c < clients; c++) {
      Thread.ofVirtual()
          .start(
              () -> {
                for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                  action.accept(i);
                }
                done.countDown();
              });
    }
    done.await();
    double seconds = (System.nanoTime() - start) / 1e9;
    long used =
        ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos() - processor;
    System.out.printf(
        "%s: %d in %.1f s, %.0f/s, %.2f ms of a processor each%n",
        what, count, seconds, count / seconds, used / 1e6 / count);
  }

  private static String node(int i) {
    return """
    {"apiVersion":"v1","kind":"Node","metadata":{"name":"n%d","labels":{"kubernetes.io/hostname":"n%d",
    "topology.kubernetes.io/zone":"z%d"}},"status":{"capacity":{"cpu":"8","memory":"32Gi","pods":"110"},
    "conditions":[{"type":"Ready","status":"True"}]}}\
    """
        .formatted(i, i, i % 3);
  }

  private static String pod(int i) {
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","labels":{"app":"a%d"}},"spec":{"schedulerName":"berth",
    "containers":[{"name":"c","image":"nginx:1.29","resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]}}\
    """
        .formatted(i, i % 100);
  }

  private static String binding(int i, int nodes) {
    return """
    {"apiVersion":"v1","kind":"Binding","metadata":{"name":"p%d"},"target":{"kind":"Node","name":"n%d"}}\
    """
        .formatted(i, i % nodes);
  }
}
