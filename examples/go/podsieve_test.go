package podsieve

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: no-host-network}
spec:
  rules:
  - name: no-host-network
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: The network of the host is not for Pods.
      pattern: {spec: {=(hostNetwork): false}}
`

func TestVerdictsFromGo(t *testing.T) {
	ctx := context.Background()
	module, err := os.ReadFile(os.Getenv("PODSIEVE_WASM"))
	if err != nil {
		t.Fatalf("PODSIEVE_WASM names podsieve.wasm of the npm package: %v", err)
	}
	engine, err := New(ctx, module)
	if err != nil {
		t.Fatal(err)
	}
	text := func(text string) []any { return []any{map[string]string{"name": "text.yaml", "text": text}} }
	for host, want := range map[string]int{"true": 1, "false": 0} {
		pod := "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {hostNetwork: " + host + "}}"
		answer, err := engine.Ask("apply", map[string]any{"policies": text(policy), "resources": text(pod)})
		if err != nil {
			t.Fatal(err)
		}
		var said struct {
			Complete bool
			Counts   struct{ Fail int }
		}
		if err := json.Unmarshal(answer, &said); err != nil {
			t.Fatal(err)
		}
		if !said.Complete || said.Counts.Fail != want {
			t.Errorf("hostNetwork %s: %s", host, answer)
		}
	}
	if _, err := engine.Ask("nothing", map[string]any{}); err == nil || !strings.Contains(err.Error(), "there is no question `nothing`") {
		t.Errorf("a question that there is not: %v", err)
	}
	if err := engine.Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := engine.Ask("version", map[string]any{}); err == nil {
		t.Error("an answer after the end")
	}
}
