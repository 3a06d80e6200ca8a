// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/* Contracts that repeat the texts they are given, for tests of the pages that show them. */

contract HostileToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name;
    uint8 public constant decimals = 0;
    uint256 public constant totalSupply = 1;

    constructor(string memory text, address holder) {
        name = text;
        emit Transfer(address(0), holder, 1);
    }

    function symbol() external view returns (string memory) {
        return name;
    }

    function balanceOf(address) external pure returns (uint256) {
        return 1;
    }
}

/// @title <script>window.attacked = 21</script>
/// @notice <img src=x onerror="window.attacked = 22"> &lt;b&gt;
contract Hostile {
    event Reported(string text);

    error Refused(string text);

    constructor(string[] memory texts) {
        for (uint256 index = 0; index < texts.length; index += 1) new HostileToken(texts[index], msg.sender);
    }

    function say(string[] calldata texts) external {
        for (uint256 index = 0; index < texts.length; index += 1) emit Reported(texts[index]);
    }

    function refuse(string calldata text) external pure {
        revert(text);
    }

    function refuseByName(string calldata text) external pure {
        revert Refused(text);
    }

    function repeated(string[] calldata texts) external pure returns (string memory, string[] memory all) {
        return (texts[0], texts);
    }

    function failing(string[] calldata texts) external pure returns (uint256) {
        revert(texts[0]);
    }

    /// @notice <img src=x onerror="window.attacked = 23">
    function aNameThatIsLongerThanAnyLineOfAPageAndHasNoPlaceWhereItCouldBeBrokenAsAllOfItIsOneWord_$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$(
        uint256 aParameterWithSuchAName_$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$
    ) external {}
}
