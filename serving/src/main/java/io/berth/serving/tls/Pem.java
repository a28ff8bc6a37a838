package io.berth.serving.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** Reads and writes PEM, the format of certificates and keys in Secrets. */
final class Pem {
  private static final Pattern CERTIFICATE =
      Pattern.compile("-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----", Pattern.DOTALL);
  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private Pem() {}

  static String write(List<X509Certificate> certificates) {
    StringBuilder text = new StringBuilder();
    for (X509Certificate certificate : certificates) {
      try {
        text.append(block("CERTIFICATE", certificate.getEncoded()));
      } catch (CertificateEncodingException e) {
        throw new IllegalStateException("a certificate that was made can be written", e);
      }
    }
    return text.toString();
  }

  static String write(PrivateKey key) {
    return block("PRIVATE KEY", key.getEncoded());
  }

  static List<X509Certificate> certificates(String text) throws GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    List<X509Certificate> certificates = new ArrayList<>();
    Matcher blocks = CERTIFICATE.matcher(text);
    while (blocks.find()) {
      byte[] der = Base64.getMimeDecoder().decode(blocks.group(1));
      certificates.add(
          (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
    }
    return certificates;
  }

  /** Reads a private key in PKCS#8 or, as some tools write it, in PKCS#1 or SEC 1. */
  static PrivateKey privateKey(String text) throws GeneralSecurityException {
    try (PEMParser parser = new PEMParser(new StringReader(text))) {
      PrivateKeyInfo info =
          switch (parser.readObject()) {
            case PEMKeyPair pair -> pair.getPrivateKeyInfo();
            case PrivateKeyInfo plain -> plain;
            case null, default ->
                throw new InvalidKeySpecException("not an unencrypted private key in PEM");
          };
      PrivateKey key = new JcaPEMKeyConverter().getPrivateKey(info);
      return KeyFactory.getInstance(key.getAlgorithm().equals("ECDSA") ? "EC" : key.getAlgorithm())
          .generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
    } catch (IOException e) {
      throw new InvalidKeySpecException("not a private key in PEM: " + e.getMessage(), e);
    }
  }

  private static String block(String type, byte[] der) {
    return "-----BEGIN "
        + type
        + "-----\n"
        + new String(LINES.encode(der), StandardCharsets.US_ASCII)
        + "\n-----END "
        + type
        + "-----\n";
  }
}
