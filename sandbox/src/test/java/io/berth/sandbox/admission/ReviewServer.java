package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * An HTTPS webhook server with a self-signed certificate for 127.0.0.1 and for the Service {@code
 * hook} in the namespace default.
 */
final class ReviewServer implements AutoCloseable {
  private final HttpsServer server;
  private final X509Certificate certificate;

  private ReviewServer(HttpsServer server, X509Certificate certificate) {
    this.server = server;
    this.certificate = certificate;
  }

  /** Starts a server. The function maps the request of a review to its response, without uid. */
  static ReviewServer start(UnaryOperator<JsonNode> reviewer) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(256);
    KeyPair keys = generator.generateKeyPair();
    X509Certificate certificate = selfSigned(keys);
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(
        "webhook", keys.getPrivate(), new char[0], new X509Certificate[] {certificate});
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext("/", exchange -> answer(exchange, reviewer));
    server.start();
    return new ReviewServer(server, certificate);
  }

  private static void answer(HttpExchange exchange, UnaryOperator<JsonNode> reviewer)
      throws IOException {
    try (exchange) {
      JsonNode request = Json.MAPPER.readTree(exchange.getRequestBody()).path("request");
      ObjectNode response = (ObjectNode) reviewer.apply(request);
      response.set("uid", request.get("uid"));
      ObjectNode review = Json.object();
      review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
      review.set("response", response);
      byte[] body = Json.write(review);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static X509Certificate selfSigned(KeyPair keys) throws Exception {
    X500Name name = new X500Name("CN=webhook");
    Instant now = Instant.now();
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            name,
            BigInteger.ONE,
            Date.from(now.minusSeconds(60)),
            Date.from(now.plusSeconds(3600)),
            name,
            keys.getPublic());
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
    builder.addExtension(
        Extension.subjectAlternativeName,
        false,
        new GeneralNames(
            new GeneralName[] {
              new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
              new GeneralName(GeneralName.dNSName, "hook.default.svc")
            }));
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
  }

  String url() {
    return "https://127.0.0.1:" + server.getAddress().getPort() + "/review";
  }

  int port() {
    return server.getAddress().getPort();
  }

  String caBundle() {
    try {
      String pem =
          "-----BEGIN CERTIFICATE-----\n"
              + Base64.getMimeEncoder().encodeToString(certificate.getEncoded())
              + "\n-----END CERTIFICATE-----\n";
      return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
