package io.berth.operator.api;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;

/** The event loop that sends the requests of this process and receives their responses. */
final class RequestLoop {

  /** Makes Vert.x resolve names as the JVM does; it is read when Vert.x is created. */
  private static final String DISABLE_OWN_RESOLVER = "vertx.disableDnsResolver";

  /** One thread: it only writes requests and reads responses, and its receivers do not block. */
  private static final Vertx VERTX = create();

  private static final Context CONTEXT = VERTX.getOrCreateContext();

  private RequestLoop() {}

  /** Returns the library's instance, which is never closed. Its threads are daemon threads. */
  static Vertx vertx() {
    return VERTX;
  }

  /** Runs a task on the event loop; it must not block. */
  static void run(Runnable task) {
    CONTEXT.runOnContext(ignored -> task.run());
  }

  private static Vertx create() {
    String before = System.getProperty(DISABLE_OWN_RESOLVER);
    System.setProperty(DISABLE_OWN_RESOLVER, "true");
    try {
      return Vertx.vertx(
          new VertxOptions()
              .setUseDaemonThread(true)
              .setEventLoopPoolSize(1)
              .setWorkerPoolSize(1)
              .setInternalBlockingPoolSize(2)
              .setFileSystemOptions(
                  new FileSystemOptions()
                      .setFileCachingEnabled(false)
                      .setClassPathResolvingEnabled(false)));
    } finally {
      if (before == null) {
        System.clearProperty(DISABLE_OWN_RESOLVER);
      } else {
        System.setProperty(DISABLE_OWN_RESOLVER, before);
      }
    }
  }
}
