package payments.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.*;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import payments.sandbox.Platform.*;

/** The platform API for one account. It fetches tokens and signs financial requests. Threads can share it. */
public final class ApiClient extends Endpoints {
  private final String baseUrl;
  private final Credential credential;
  private final String scenario;
  private final AtomicReference<String> token;

  /** A client of any sandbox; {@link Sandbox#client()} is the one of a workspace. */
  public ApiClient(String baseUrl, Credential credential) {
    this(baseUrl, credential, null, new AtomicReference<>());
  }

  private ApiClient(String baseUrl, Credential credential, String scenario, AtomicReference<String> token) {
    this.baseUrl = baseUrl;
    this.credential = credential;
    this.scenario = scenario;
    this.token = token;
  }

  /** The same client, with a scenario that is applied to each of its requests. */
  public ApiClient withScenario(String name) {
    return new ApiClient(baseUrl, credential, name, token);
  }

  private String token() {
    synchronized (token) {
      if (token.get() == null) {
        byte[] pair = (credential.clientId() + ":" + credential.clientSecret()).getBytes(UTF_8);
        String basic = "Basic " + Base64.getEncoder().encodeToString(pair);
        Map<String, String> headers = Map.of("Authorization", basic, "Content-Type", "application/json");
        byte[] body = "{\"grant_type\":\"client_credentials\"}".getBytes(UTF_8);
        token.set(Wire.send("POST", baseUrl + Platform.TOKEN_PATH, headers, body).get("access_token").text());
      }
      return token.get();
    }
  }

  @Override
  Json send(Call call, Request request) {
    String used = token();
    try {
      return sendOnce(call, request.fields, used);
    } catch (SandboxException error) {
      // The platform checks the token first, so the rejected request has done nothing.
      if (error.status != 401 || error.code != ErrorCode.TOKEN_EXPIRED && error.code != ErrorCode.UNAUTHORIZED) throw error;
      token.compareAndSet(used, null);
      return sendOnce(call, request.fields, token());
    }
  }

  private Json sendOnce(Call call, Map<String, Object> fields, String bearer) {
    Map<String, String> headers = new HashMap<>(Map.of("Authorization", "Bearer " + bearer));
    if (scenario != null) headers.put(Platform.SCENARIO_HEADER, scenario);
    String boundary = UUID.randomUUID().toString();
    boolean isJson = call.input().equals("json");
    boolean isForm = call.input().equals("multipart");
    byte[] body = isJson ? Json.write(fields).getBytes(UTF_8) : isForm ? form(fields, boundary) : null;
    if (isJson) headers.put("Content-Type", "application/json");
    if (isForm) headers.put("Content-Type", "multipart/form-data; boundary=" + boundary);
    if (call.signed()) headers.putAll(Signatures.sign(credential.signingKey(), body));
    String query = body == null && !fields.isEmpty() ? "?" + query(fields) : "";
    return Wire.send(call.method(), baseUrl + call.path() + query, headers, body).get("data");
  }

  static String query(Map<String, ?> fields) {
    return fields.entrySet().stream()
        .map(row -> row.getKey() + "=" + URLEncoder.encode(row.getValue().toString(), UTF_8))
        .collect(Collectors.joining("&"));
  }

  private static byte[] form(Map<String, Object> fields, String boundary) {
    var out = new java.io.ByteArrayOutputStream();
    String head = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"";
    fields.forEach((name, value) -> {
      for (Object one : value instanceof List<?> files ? files : List.of(value)) {
        boolean isFile = one instanceof Upload;
        Upload file = isFile ? (Upload) one : new Upload("", "", one.toString().getBytes(UTF_8));
        String more = "; filename=\"" + URLEncoder.encode(file.name(), UTF_8) + "\"\r\nContent-Type: " + file.type();
        out.writeBytes((head + name + "\"" + (isFile ? more : "") + "\r\n\r\n").getBytes(UTF_8));
        out.writeBytes(file.content());
        out.writeBytes("\r\n".getBytes(UTF_8));
      }
    });
    out.writeBytes(("--" + boundary + "--\r\n").getBytes(UTF_8));
    return out.toByteArray();
  }
}
