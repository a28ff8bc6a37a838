package io.berth.serving.tls;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/** A certificate and the private key that belongs to it. */
record KeyAndCertificate(PrivateKey key, X509Certificate certificate) {}
