package io.berth.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.store.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A plain HTTPS client of a sandbox, with which tests can check status codes, headers, and bodies.
 */
final class TestClient {
  private final Sandbox sandbox;
  private final HttpClient http;
  private final String token;

  TestClient(Sandbox sandbox) {
    this(sandbox, sandbox.kubeconfig().replaceAll("(?s).*token: (\\S+).*", "$1"));
  }

  TestClient(Sandbox sandbox, String token) {
    this.sandbox = sandbox;
    this.token = token;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(trust(sandbox))
            .build();
  }

  private static SSLContext trust(Sandbox sandbox) {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, new char[0]);
      store.setCertificateEntry(
          "ca",
          CertificateFactory.getInstance("X.509")
              .generateCertificate(
                  new ByteArrayInputStream(
                      sandbox.certificateAuthority().getBytes(StandardCharsets.US_ASCII))));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the sandbox's certificate cannot be trusted", e);
    }
  }

  /** A response with its body parsed as JSON. */
  record Reply(int code, JsonNode body, HttpResponse<byte[]> response) {}

  Reply get(String path) {
    return send(request(path).GET().build());
  }

  Reply get(String path, String accept) {
    return send(request(path).header("Accept", accept).GET().build());
  }

  Reply post(String path, String body) {
    return send(with("POST", path, "application/json", body));
  }

  Reply put(String path, JsonNode body) {
    return send(with("PUT", path, "application/json", body.toString()));
  }

  Reply patch(String path, String contentType, String body) {
    return send(with("PATCH", path, contentType, body));
  }

  Reply delete(String path) {
    return send(request(path).DELETE().build());
  }

  Reply delete(String path, String body) {
    return send(with("DELETE", path, "application/json", body));
  }

  Reply post(String path, String contentType, String body) {
    return send(with("POST", path, contentType, body));
  }

  Reply postAs(String user, String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .header("Impersonate-User", user)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  /** Replaces an object as a user with these additional headers. */
  Reply putAs(String user, Map<String, String> headers, String path, JsonNode body) {
    HttpRequest.Builder request =
        request(path)
            .header("Content-Type", "application/json")
            .header("Impersonate-User", user)
            .PUT(HttpRequest.BodyPublishers.ofString(body.toString()));
    headers.forEach(request::header);
    return send(request.build());
  }

  Reply post(String path, String contentType, byte[] body) {
    return send(
        request(path)
            .header("Content-Type", contentType)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build());
  }

  /** Opens a watch and returns its lines as a stream. */
  InputStream stream(String path) throws IOException, InterruptedException {
    return http.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofInputStream()).body();
  }

  private HttpRequest with(String method, String path, String contentType, String body) {
    return request(path)
        .header("Content-Type", contentType)
        .method(method, HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(sandbox.url() + path))
        .header("Authorization", "Bearer " + token)
        .header("User-Agent", "sandbox-test/1.0");
  }

  private Reply send(HttpRequest request) {
    try {
      HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      boolean json =
          response.headers().firstValue("Content-Type").orElse("").startsWith("application/json");
      JsonNode body =
          json
              ? Json.MAPPER.readTree(response.body())
              : Json.MAPPER
                  .getNodeFactory()
                  .textNode(new String(response.body(), StandardCharsets.UTF_8));
      return new Reply(response.statusCode(), body, response);
    } catch (IOException e) {
      throw new UncheckedIOException(request.method() + " " + request.uri() + " failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
