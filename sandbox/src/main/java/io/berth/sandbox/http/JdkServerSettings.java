package io.berth.sandbox.http;

/**
 * Settings of the JDK's HTTP server that exist only as system properties, which it reads when its
 * first instance is created. Values that are set already stay.
 */
final class JdkServerSettings {
  private JdkServerSettings() {}

  static void apply() {
    // Without it, Nagle's algorithm holds back small answers for 40 ms.
    setIfAbsent("sun.net.httpserver.nodelay", "true");
    // Clients keep connections open; the defaults close them behind their backs (30 s, 200
    // connections).
    setIfAbsent("sun.net.httpserver.idleInterval", "300");
    setIfAbsent("sun.net.httpserver.maxIdleConnections", "2000");
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
