package io.berth.operator.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.operator.fixtures.ExpectedLog;
import io.berth.serving.http.RequestHead;
import io.berth.serving.tls.CertificateState;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.net.InetAddress;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The ConfigMap about front proxies, as it changes. */
class FrontProxyTest {
  private static final String AUTHORITY = "requestheader-client-ca-file";
  private static final String NAMES = "requestheader-allowed-names";

  private final FrontProxy proxy = new FrontProxy();

  private void configure(Map<String, String> data) {
    ConfigMap map = new ConfigMapBuilder().withData(data).build();
    proxy.take(map);
  }

  private boolean accepts(CertificateState client) {
    X509Certificate[] chain = client.serverChain().toArray(X509Certificate[]::new);
    try {
      proxy.authority().check(chain, "EC");
      return true;
    } catch (CertificateException rejected) {
      return false;
    }
  }

  private static RequestHead request(Map<String, List<String>> headers) {
    return new RequestHead(
        "GET", "/apis", "", new HashMap<>(headers), InetAddress.getLoopbackAddress(), false);
  }

  @Test
  void noClient_isAccepted_beforeTheAuthorityIsKnown() {
    X509Certificate[] chain =
        Certificates.of("proxy").serverChain().toArray(X509Certificate[]::new);

    assertThatThrownBy(() -> proxy.authority().check(chain, "EC"))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("not known yet");
    assertThat(proxy.authority().issuers()).isEmpty();
  }

  @Test
  void authority_isFollowedAsItChanges() {
    CertificateState before = Certificates.of("proxy");
    CertificateState after = Certificates.of("proxy");
    configure(Map.of(AUTHORITY, before.caBundle()));
    assertThat(accepts(before)).isTrue();
    assertThat(accepts(after)).isFalse();

    configure(Map.of(AUTHORITY, before.caBundle() + after.caBundle()));
    assertThat(accepts(before) && accepts(after)).isTrue();

    configure(Map.of(AUTHORITY, after.caBundle()));
    assertThat(accepts(before)).isFalse();
    assertThat(accepts(after)).isTrue();
  }

  @Test
  void certificateWithAnotherName_isRejected() {
    CertificateState client = Certificates.of("proxy");
    configure(Map.of(AUTHORITY, client.caBundle(), NAMES, "[\"front-proxy-client\"]"));
    assertThat(accepts(client)).isFalse();

    configure(Map.of(AUTHORITY, client.caBundle(), NAMES, "[\"berth-webhook\"]"));
    assertThat(accepts(client)).isTrue();
  }

  @Test
  @ExpectedLog("The query API answers only the API servers that were known before")
  void invalidAuthority_leavesTheOneBefore() {
    CertificateState client = Certificates.of("proxy");
    configure(Map.of(AUTHORITY, client.caBundle()));

    configure(Map.of());

    assertThat(accepts(client)).isTrue();
  }

  @Test
  void user_isReadFromTheHeadersThatTheConfigMapNames() {
    configure(
        Map.of(
            AUTHORITY,
            Certificates.of("proxy").caBundle(),
            "requestheader-username-headers",
            "[\"X-Name\"]",
            "requestheader-group-headers",
            "[\"X-Groups\"]",
            "requestheader-extra-headers-prefix",
            "[\"X-More-\"]"));

    assertThat(proxy.user(request(Map.of("x-remote-user", List.of("somebody"))))).isEmpty();
    assertThat(
            proxy.user(
                request(
                    Map.of(
                        "x-name", List.of("ada"),
                        "x-remote-uid", List.of("7"),
                        "x-groups", List.of("staff", "night shift"),
                        "x-more-a%2fb", List.of("1", "2")))))
        .contains(
            new ApiUser(
                "ada", "7", List.of("staff", "night shift"), Map.of("a/b", List.of("1", "2"))));
  }
}
