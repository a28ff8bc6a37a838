package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings for mutual authentication between an extender and Berth. Files are those in the
 * folder of the container in which the Secrets of extenders are mounted.
 */
@Part
public record ExtenderTls(
    @JsonPropertyDescription(
            "Specifies that the server's certificate is not verified. Use it for testing only.")
        @Default("false")
        Boolean insecure,
    @JsonPropertyDescription(
            "The name for which the server's certificate must be valid. Defaults to the host of"
                + " urlPrefix.")
        @Size(max = 253)
        @Nullable String serverName,
    @JsonPropertyDescription("The path of the client certificate.") @Size(max = 4096)
        @Nullable String certFile,
    @JsonPropertyDescription("The path of the client key.") @Size(max = 4096)
        @Nullable String keyFile,
    @JsonPropertyDescription(
            "The path of the trusted CA certificates. If neither caFile nor caData is specified,"
                + " the trust store of the Java runtime is used.")
        @Size(max = 4096)
        @Nullable String caFile,
    @JsonPropertyDescription(
            "The client certificate, base64-encoded PEM. It takes precedence over certFile.")
        @Size(max = 65536)
        @Nullable String certData,
    @JsonPropertyDescription(
            "The client key, base64-encoded PEM. It takes precedence over keyFile. Deprecated:"
                + " everybody who can read SchedulingPolicies can read it. Use secretName.")
        @Size(max = 65536)
        @Nullable String keyData,
    @JsonPropertyDescription(
            "The trusted CA certificates, base64-encoded PEM. They take precedence over caFile.")
        @Size(max = 65536)
        @Nullable String caData,
    @JsonPropertyDescription(
            "The name of a Secret in Berth's namespace, of type kubernetes.io/tls, with the client"
                + " certificate (tls.crt) and its key (tls.key), and optionally the trusted CA"
                + " certificates (ca.crt). It must be mounted into Berth's pods, with"
                + " extenderSecrets of the chart, and takes the place of all files and data.")
        @Size(max = 253)
        @Nullable String secretName) {

  public ExtenderTls {
    insecure = Absent.orElse(insecure, false);
  }
}
