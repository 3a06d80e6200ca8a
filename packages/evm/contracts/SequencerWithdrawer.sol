// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Sends coins of this rollup back to the sequencer
/// @notice Coins that are sent here stay here for ever. For each event the bridge account on the sequencer pays out as
/// much, so a call is refused where that could not be paid: for a fraction of the sequencer's unit, or for a
/// destination that is no address there.
/// @dev A genesis file writes the storage. There is no constructor, no owner and no way to take coins out.
contract SequencerWithdrawer {
    /// @notice Decimals of the asset on the sequencer, at most 18.
    uint32 public BASE_CHAIN_ASSET_PRECISION;
    /// @notice Fewest wei of one withdrawal.
    uint128 public MINIMUM_WITHDRAWAL;
    /// @notice Account on the sequencer that holds the asset.
    string public BASE_CHAIN_BRIDGE_ADDRESS;
    /// @notice The asset, as the sequencer names it.
    string public BASE_CHAIN_ASSET_DENOMINATION;

    /// @param amount Wei, a multiple of the sequencer's unit.
    event SequencerWithdrawal(address indexed sender, uint256 indexed amount, string destinationChainAddress);

    /// Characters of an address after its prefix and the separator: 32 of the account and 6 of the checksum.
    uint256 private constant DATA_LENGTH = 38;
    /// Numbers of the characters with codes from 0x20 on, and of those from 0x60 on; 0xff is none.
    bytes32 private constant DIGITS = 0xffffffffffffffffffffffffffffffff0fff0a1115141a1e0705ffffffffffff;
    bytes32 private constant LETTERS = 0xff1dff180d19090817ff12161f1b13ff010003100b1c0c0e060402ffffffffff;
    uint256 private constant BECH32M = 0x2bc830a3;

    /// @notice Withdraws the coins that are sent with the call.
    /// @param destinationChainAddress Account on the sequencer that is paid: bech32m in lower case.
    function withdrawToSequencer(string calldata destinationChainAddress) external payable {
        uint256 precision = BASE_CHAIN_ASSET_PRECISION;
        string memory bridge = BASE_CHAIN_BRIDGE_ADDRESS;
        require(bytes(bridge).length > DATA_LENGTH && precision <= 18, "no bridge is set");
        uint256 unit = 10 ** (18 - precision);
        require(msg.value > 0 && msg.value >= MINIMUM_WITHDRAWAL, "amount is below the minimum");
        require(msg.value % unit == 0, "amount is finer than the unit of the sequencer");
        require(msg.value / unit <= type(uint128).max, "amount is too large for the sequencer");
        requireAddress(bytes(destinationChainAddress), bytes(bridge));
        emit SequencerWithdrawal(msg.sender, msg.value, destinationChainAddress);
    }

    /// @notice Is refused always: the bridge of this rollup pays on the sequencer alone.
    function withdrawToIbcChain(string calldata, string calldata) external payable {
        revert("withdrawals to IBC chains are not supported, use withdrawToSequencer");
    }

    /// Refuses what is no bech32m address (BIP-350) with the prefix and the length of the bridge account's, or is that account.
    function requireAddress(bytes calldata text, bytes memory bridge) private pure {
        uint256 length = text.length;
        require(length == bridge.length, "destination has the wrong length");
        uint256 prefix = length - DATA_LENGTH - 1;
        bool isBridge = true;
        uint256 check = 1;
        unchecked {
            for (uint256 index = 0; index < prefix; ++index) check = next(check, uint8(bridge[index]) >> 5);
            check = next(check, 0);
            for (uint256 index = 0; index < length; ++index) {
                uint256 code = uint8(text[index]);
                bool isSame = code == uint8(bridge[index]);
                if (index > prefix) {
                    bytes32 numbers = code >> 5 == 1 ? DIGITS : code >> 5 == 3 ? LETTERS : bytes32(type(uint256).max);
                    uint256 number = uint8(numbers[code & 31]);
                    require(number < 32, "destination has a wrong character");
                    check = next(check, number);
                    isBridge = isBridge && isSame;
                } else {
                    require(isSame, "destination has the prefix of another chain");
                    if (index < prefix) check = next(check, code & 31);
                }
            }
        }
        require(check == BECH32M, "destination has a wrong checksum");
        require(!isBridge, "destination is the bridge account");
    }

    /// Checksum after one more number of 5 bits.
    function next(uint256 check, uint256 number) private pure returns (uint256) {
        unchecked {
            uint256 top = check >> 25;
            return ((check & 0x1ffffff) << 5) ^ number
                ^ ((top & 1) * 0x3b6a57b2)
                ^ (((top >> 1) & 1) * 0x26508e6d)
                ^ (((top >> 2) & 1) * 0x1ea119fa)
                ^ (((top >> 3) & 1) * 0x3d4233dd)
                ^ ((top >> 4) * 0x2a1462b3);
        }
    }
}
