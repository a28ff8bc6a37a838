package io.berth.sandbox.http;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509KeyManager;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority that is generated for each run of the server, and the server certificate
 * it signs.
 */
public final class Certificates {
  private static final Duration VALIDITY = Duration.ofDays(365);
  private static final int SERIAL_BITS = 120;

  /** The common name of the certificate with which the server forwards requests. */
  public static final String FRONT_PROXY = "front-proxy-client";

  private final X509Certificate authority;
  private final SSLContext serverContext;
  private final X509KeyManager keyManager;
  private final X509KeyManager frontProxy;

  private Certificates(
      X509Certificate authority,
      SSLContext serverContext,
      X509KeyManager keyManager,
      X509KeyManager frontProxy) {
    this.frontProxy = frontProxy;
    this.authority = authority;
    this.serverContext = serverContext;
    this.keyManager = keyManager;
  }

  /**
   * Generates the certificate authority and the server certificate.
   *
   * @param host an additional host name or IP address for the certificate
   */
  public static Certificates make(String host) {
    try {
      KeyPair authorityKeys = keys();
      X500Name authorityName = new X500Name("CN=berth-sandbox-ca");
      X509Certificate authority =
          sign(
              authorityName,
              authorityKeys.getPrivate(),
              authorityName,
              authorityKeys,
              true,
              List.of());
      KeyPair serverKeys = keys();
      X509Certificate server =
          sign(
              authorityName,
              authorityKeys.getPrivate(),
              new X500Name("CN=kube-apiserver"),
              serverKeys,
              false,
              names(host));
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, new char[0]);
      store.setKeyEntry(
          "server",
          serverKeys.getPrivate(),
          new char[0],
          new X509Certificate[] {server, authority});
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(store, new char[0]);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      KeyPair proxyKeys = keys();
      X509Certificate proxy =
          sign(
              authorityName,
              authorityKeys.getPrivate(),
              new X500Name("CN=" + FRONT_PROXY),
              proxyKeys,
              false,
              List.of());
      return new Certificates(
          authority,
          context,
          (X509KeyManager) managers.getKeyManagers()[0],
          keyManager(proxyKeys.getPrivate(), proxy, authority));
    } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
      throw new IllegalStateException("the server certificate could not be generated", e);
    }
  }

  private static X509KeyManager keyManager(
      PrivateKey key, X509Certificate certificate, X509Certificate authority)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, new char[0]);
    store.setKeyEntry("client", key, new char[0], new X509Certificate[] {certificate, authority});
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, new char[0]);
    return (X509KeyManager) managers.getKeyManagers()[0];
  }

  private static List<GeneralName> names(String host) {
    boolean address = host.matches("[0-9.]+|.*:.*");
    return List.of(
        new GeneralName(GeneralName.dNSName, "localhost"),
        new GeneralName(GeneralName.dNSName, "kubernetes.default.svc"),
        new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
        new GeneralName(GeneralName.iPAddress, "::1"),
        new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, host));
  }

  private static KeyPair keys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static X509Certificate sign(
      X500Name issuer,
      PrivateKey issuerKey,
      X500Name subject,
      KeyPair subjectKeys,
      boolean isAuthority,
      List<GeneralName> names)
      throws IOException, OperatorCreationException, GeneralSecurityException {
    Instant now = Instant.now();
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            issuer,
            new BigInteger(SERIAL_BITS, new SecureRandom()),
            Date.from(now.minus(Duration.ofHours(1))),
            Date.from(now.plus(VALIDITY)),
            subject,
            subjectKeys.getPublic());
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
    builder.addExtension(
        Extension.keyUsage,
        true,
        new KeyUsage(
            isAuthority ? KeyUsage.keyCertSign | KeyUsage.cRLSign : KeyUsage.digitalSignature));
    if (!names.isEmpty()) {
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(names.toArray(new GeneralName[0])));
    }
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(issuerKey)));
  }

  /** The TLS context of the HTTPS server. */
  public SSLContext serverContext() {
    return serverContext;
  }

  /** The server's certificate and key, for servers that create their own TLS context. */
  public X509KeyManager keyManager() {
    return keyManager;
  }

  /** The certificate and key with which the server forwards requests to other servers. */
  X509KeyManager frontProxy() {
    return frontProxy;
  }

  /** The certificate of the authority, as PEM, for clients to trust. */
  public String authorityPem() {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      writer.writeObject(authority);
    } catch (IOException e) {
      throw new IllegalStateException("the authority's certificate could not be written", e);
    }
    return text.toString();
  }
}
