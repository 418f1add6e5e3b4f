"""In: PODSIEVE_WASM, the module of the npm package. Run by `python -m unittest`."""

import os
import unittest

from podsieve import Podsieve

POLICY = """
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
"""


def text(text):
    return [{"name": "text.yaml", "text": text}]


class Verdicts(unittest.TestCase):
    def test_verdicts_from_python(self):
        podsieve = Podsieve(os.environ["PODSIEVE_WASM"])
        for host, failures in (("true", 1), ("false", 0)):
            pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: web}}, spec: {{hostNetwork: {host}}}}}"
            answer = podsieve.ask("apply", {"policies": text(POLICY), "resources": text(pod)})
            self.assertTrue(answer["complete"], answer["diagnostics"])
            self.assertEqual(answer["counts"]["fail"], failures)
        with self.assertRaisesRegex(ValueError, "there is no question `nothing`"):
            podsieve.ask("nothing")


if __name__ == "__main__":
    unittest.main()
