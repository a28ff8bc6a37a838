package io.berth.serving.tls;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Creates certificate authorities and the server certificates that they sign, with EC keys on P-256
 * and SHA-256 signatures. The start of their validity is five minutes before their creation,
 * because clocks differ.
 */
public final class CertificateAuthority {
  /** The time by which the start of validity is backdated. */
  static final Duration BACKDATED = Duration.ofMinutes(5);

  /** The common name of each server certificate, with which replicas authenticate each other. */
  static final String SERVER_NAME = "berth-webhook";

  private static final String AUTHORITY_NAME = "berth-webhook-ca-";
  private static final String SIGNATURE = "SHA256withECDSA";

  private final SecureRandom random;

  /**
   * Creates an instance.
   *
   * @param random the source of randomness for keys and serial numbers
   */
  public CertificateAuthority(SecureRandom random) {
    this.random = random;
  }

  /** Creates a self-signed authority. */
  KeyAndCertificate authority(Instant now, Duration life) {
    KeyPair pair = keyPair();
    // Clients look up authorities by name, so the name of each one is unique.
    X500Name name = new X500Name("CN=" + AUTHORITY_NAME + serial().toString(36));
    try {
      X509v3CertificateBuilder builder = builder(name, name, pair, now, now.plus(life));
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      builder.addExtension(
          Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      return signed(builder, pair.getPrivate(), pair.getPrivate());
    } catch (CertIOException e) {
      throw new IllegalStateException("these extensions can always be written", e);
    }
  }

  /**
   * Returns whether a certificate is of an authority that this class has created, and not of an
   * external one, which may sign certificates for others than Berth.
   */
  static boolean isOwn(X509Certificate authority) {
    return authority.getBasicConstraints() == 0
        && authority.getSubjectX500Principal().equals(authority.getIssuerX500Principal())
        && authority.getSubjectX500Principal().getName().startsWith("CN=" + AUTHORITY_NAME);
  }

  /** Creates a server certificate, which expires no later than its authority. */
  KeyAndCertificate server(
      KeyAndCertificate authority, List<String> dnsNames, Instant now, Duration life) {
    KeyPair pair = keyPair();
    Instant latest = authority.certificate().getNotAfter().toInstant();
    Instant end = now.plus(life).isAfter(latest) ? latest : now.plus(life);
    try {
      X509v3CertificateBuilder builder =
          builder(
              X500Name.getInstance(authority.certificate().getSubjectX500Principal().getEncoded()),
              new X500Name("CN=" + SERVER_NAME),
              pair,
              now,
              end);
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
      builder.addExtension(
          Extension.extendedKeyUsage,
          false,
          new ExtendedKeyUsage(
              new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth}));
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(
              dnsNames.stream().map(CertificateAuthority::name).toArray(GeneralName[]::new)));
      builder.addExtension(
          Extension.authorityKeyIdentifier,
          false,
          new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(authority.certificate()));
      return signed(builder, pair.getPrivate(), authority.key());
    } catch (CertIOException | GeneralSecurityException e) {
      throw new IllegalStateException("these extensions can always be written", e);
    }
  }

  private X509v3CertificateBuilder builder(
      X500Name issuer, X500Name subject, KeyPair pair, Instant now, Instant end) {
    return new JcaX509v3CertificateBuilder(
        issuer,
        serial(),
        Date.from(now.minus(BACKDATED)),
        Date.from(end),
        subject,
        pair.getPublic());
  }

  private static KeyAndCertificate signed(
      X509v3CertificateBuilder builder, PrivateKey own, PrivateKey signer) {
    try {
      return new KeyAndCertificate(
          own,
          new JcaX509CertificateConverter()
              .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(signer))));
    } catch (OperatorCreationException | GeneralSecurityException e) {
      throw new IllegalStateException("the runtime can sign with " + SIGNATURE, e);
    }
  }

  private static GeneralName name(String host) {
    boolean address = host.matches("[0-9.]+|.*:.*");
    return new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, host);
  }

  private KeyPair keyPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has P-256", e);
    }
  }

  private BigInteger serial() {
    return new BigInteger(126, random).add(BigInteger.ONE);
  }
}
