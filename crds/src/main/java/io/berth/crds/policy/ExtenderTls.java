package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings for mutual authentication of an extender and Berth. Files are paths in the
 * container.
 */
@Part
public record ExtenderTls(
    @JsonPropertyDescription("Whether the service's certificate is not checked. For trials only.")
        @Default("false")
        Boolean insecure,
    @JsonPropertyDescription(
            "The name that the service's certificate must carry. Absent: the host of urlPrefix.")
        @Size(max = 253)
        @Nullable String serverName,
    @JsonPropertyDescription("File with the client's certificate.") @Size(max = 4096)
        @Nullable String certFile,
    @JsonPropertyDescription("File with the client's key.") @Size(max = 4096)
        @Nullable String keyFile,
    @JsonPropertyDescription(
            "File with the certificates that are trusted. Without it and caData, those that the"
                + " Java runtime trusts.")
        @Size(max = 4096)
        @Nullable String caFile,
    @JsonPropertyDescription(
            "The client's certificate, PEM in base64. Takes precedence over certFile.")
        @Size(max = 65536)
        @Nullable String certData,
    @JsonPropertyDescription("The client's key, PEM in base64. Takes precedence over keyFile.")
        @Size(max = 65536)
        @Nullable String keyData,
    @JsonPropertyDescription(
            "The certificates that are trusted, PEM in base64. Takes precedence over caFile.")
        @Size(max = 65536)
        @Nullable String caData) {

  public ExtenderTls {
    insecure = Absent.orElse(insecure, false);
  }
}
