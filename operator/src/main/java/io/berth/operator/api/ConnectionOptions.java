package io.berth.operator.api;

import io.berth.operator.api.Connections.Bounds;
import io.fabric8.kubernetes.client.http.TlsVersion;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.ProxyType;
import io.vertx.core.net.TrustOptions;
import java.net.InetSocketAddress;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

/** The options of the HTTP client, from the cluster's configuration. */
final class ConnectionOptions {

  /** Shorter than the 90 s after which API servers close idle connections. */
  private static final int IDLE_SECONDS = 60;

  /** A third of a request's time limit, so that later requests get a new connection. */
  private static final int HANDSHAKE_SECONDS = 5;

  /** It carries as many requests at once as the server allows, usually 250. */
  private static final int MOST_HTTP2_CONNECTIONS = 1;

  /** The maximum number of requests that wait for a connection. */
  static final int MOST_QUEUED = 16_384;

  private ConnectionOptions() {}

  /**
   * Returns the options.
   *
   * @param http2 whether HTTP/2 is preferred on secure connections
   */
  static HttpClientOptions of(ClusterAccess access, ClientSettings settings, boolean http2) {
    HttpClientOptions options =
        new HttpClientOptions()
            .setKeepAliveTimeout(IDLE_SECONDS)
            .setHttp2KeepAliveTimeout(IDLE_SECONDS);
    if (settings.getConnectTimeout() != null) {
      options.setConnectTimeout(Math.toIntExact(settings.getConnectTimeout().toMillis()));
    }
    addProxy(options, settings);
    if (access.isSecure()) {
      secure(options, access, settings, http2);
    }
    return options;
  }

  /** Returns the limits of the pool. The library ignores those in its other options. */
  static PoolOptions pool(Bounds bounds) {
    return new PoolOptions()
        .setHttp1MaxSize(bounds.most())
        .setHttp2MaxSize(MOST_HTTP2_CONNECTIONS)
        .setMaxWaitQueueSize(MOST_QUEUED);
  }

  private static void secure(
      HttpClientOptions options, ClusterAccess access, ClientSettings settings, boolean http2) {
    options
        .setSsl(true)
        .setTrustOptions(TrustOptions.wrap(access.tls().trustManagers()[0]))
        .setVerifyHost(
            !access.config().isTrustCerts() && !access.config().isDisableHostnameVerification())
        .setSslHandshakeTimeout(HANDSHAKE_SECONDS);
    KeyManager[] keys = access.tls().keyManagers();
    if (keys != null) {
      options.setKeyCertOptions(KeyCertOptions.wrap((X509KeyManager) keys[0]));
    }
    if (settings.getTlsVersions() != null) {
      options.setEnabledSecureTransportProtocols(
          Stream.of(settings.getTlsVersions())
              .map(TlsVersion::javaName)
              .collect(Collectors.toSet()));
    }
    if (http2 && !settings.isPreferHttp11()) {
      options.setUseAlpn(true).setProtocolVersion(HttpVersion.HTTP_2);
    }
  }

  private static void addProxy(HttpClientOptions options, ClientSettings settings) {
    InetSocketAddress address = settings.getProxyAddress();
    if (address == null) {
      return;
    }
    ProxyOptions proxy =
        new ProxyOptions().setHost(address.getHostString()).setPort(address.getPort());
    switch (settings.getProxyType()) {
      case DIRECT -> {
        return;
      }
      case HTTP -> proxy.setType(ProxyType.HTTP);
      case SOCKS4 -> proxy.setType(ProxyType.SOCKS4);
      case SOCKS5 -> proxy.setType(ProxyType.SOCKS5);
    }
    String authorization = settings.getProxyAuthorization();
    String[] account =
        authorization == null ? null : HttpClientUtils.decodeBasicCredentials(authorization);
    if (account != null) {
      proxy.setUsername(account[0]).setPassword(account[1]);
    }
    options.setProxyOptions(proxy);
  }
}
