package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings for mutual authentication between an extender and Berth. File paths refer to the
 * container.
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
            "The client key, base64-encoded PEM. It takes precedence over keyFile.")
        @Size(max = 65536)
        @Nullable String keyData,
    @JsonPropertyDescription(
            "The trusted CA certificates, base64-encoded PEM. They take precedence over caFile.")
        @Size(max = 65536)
        @Nullable String caData) {

  public ExtenderTls {
    insecure = Absent.orElse(insecure, false);
  }
}
