package io.berth.operator.api;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;

/**
 * Creates Vert.x instances that live as long as the process. Their threads are daemon threads, so
 * they need not be closed: a request that is under way while an instance is closed fails with an
 * uncaught exception.
 */
final class DaemonVertx {

  /** Makes Vert.x resolve names as the JVM does; it is read when Vert.x is created. */
  private static final String DISABLE_OWN_RESOLVER = "vertx.disableDnsResolver";

  private DaemonVertx() {}

  /** Creates an instance with these numbers of threads. */
  static Vertx create(VertxOptions threads) {
    String before = System.getProperty(DISABLE_OWN_RESOLVER);
    System.setProperty(DISABLE_OWN_RESOLVER, "true");
    try {
      return Vertx.vertx(
          threads
              .setUseDaemonThread(true)
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
