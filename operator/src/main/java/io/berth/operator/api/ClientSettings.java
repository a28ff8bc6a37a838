package io.berth.operator.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import io.fabric8.kubernetes.client.utils.TokenRefreshInterceptor;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP settings that the Kubernetes client library derives from a configuration: proxy and its
 * exceptions, TLS versions, timeouts, fixed headers. It only collects the settings and cannot build
 * a client.
 */
final class ClientSettings
    extends StandardHttpClientBuilder<HttpClient, HttpClient.Factory, ClientSettings> {

  private ClientSettings(HttpClient.Factory factory) {
    super(factory);
  }

  static ClientSettings of(Config config) {
    HttpClient.Factory factory = HttpClientUtils.getHttpClientFactory();
    ClientSettings settings = new ClientSettings(factory);
    HttpClientUtils.applyCommonConfiguration(config, settings, factory);
    return settings;
  }

  /** Returns the headers that every request carries, except the one set by {@link Credentials}. */
  List<Map.Entry<String, String>> fixedHeaders(URI server) {
    Headers headers = new Headers();
    HttpRequest anyRequest = new StandardHttpRequest.Builder().uri(server).build();
    getInterceptors()
        .forEach(
            (name, interceptor) -> {
              if (!name.equals(TokenRefreshInterceptor.NAME)) {
                interceptor.before(headers, anyRequest, NO_TAGS);
              }
            });
    return List.copyOf(headers.fields);
  }

  @Override
  public HttpClient build() {
    throw new UnsupportedOperationException("these settings cannot build a client");
  }

  @Override
  protected ClientSettings newInstance(HttpClient.Factory factory) {
    return new ClientSettings(factory);
  }

  private static final Interceptor.RequestTags NO_TAGS =
      new Interceptor.RequestTags() {
        @Override
        public <T> @Nullable T getTag(Class<T> type) {
          return null;
        }
      };

  private static final class Headers implements BasicBuilder {
    private final List<Map.Entry<String, String>> fields = new ArrayList<>();

    @Override
    public BasicBuilder uri(URI uri) {
      return this;
    }

    @Override
    public BasicBuilder header(String name, String value) {
      fields.add(Map.entry(name, value));
      return this;
    }

    @Override
    public BasicBuilder setHeader(String name, String value) {
      fields.removeIf(header -> header.getKey().equalsIgnoreCase(name));
      fields.add(Map.entry(name, value));
      return this;
    }
  }
}
