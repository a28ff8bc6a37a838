package io.berth.sandbox.http;

/**
 * Settings of the JDK's HTTP server that exist only as system properties, which are read when the
 * first server is created. Properties that are already set are kept.
 */
final class JdkServerSettings {
  private JdkServerSettings() {}

  static void apply() {
    // Disables Nagle's algorithm, which would delay small responses by 40 ms.
    setIfAbsent("sun.net.httpserver.nodelay", "true");
    // Clients keep connections open. The defaults (30 s, 200 connections) close idle connections
    // that clients still use.
    setIfAbsent("sun.net.httpserver.idleInterval", "300");
    setIfAbsent("sun.net.httpserver.maxIdleConnections", "2000");
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
